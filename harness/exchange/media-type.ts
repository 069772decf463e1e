import { type HeaderPairs, headerOf } from './exchange.ts'

/** The media type of an answer in lower case, without its parameters; null where none is given. */
export function mediaTypeOf(headers: HeaderPairs): string | null {
  return headerOf(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? null
}
