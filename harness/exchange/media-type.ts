import { type HeaderPairs, headerOf } from './exchange.ts'

/** The media type of a response in lower case, without its parameters; null if there is none. */
export function mediaTypeOf(headers: HeaderPairs): string | null {
  return headerOf(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? null
}
