import type { Answer } from './json.ts'

/** An answer as a response; a HEAD gets everything but the body. */
export function respond(
  { body, headers, mediaType, status }: Answer,
  more: Readonly<Record<string, string>>,
  isHead: boolean,
): Response {
  const all: Record<string, string> = { ...more, ...headers }
  if (mediaType !== undefined) all['content-type'] = mediaType
  return new Response(isHead ? null : body, { status, headers: all })
}
