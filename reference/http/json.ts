import type { Common } from '../common.ts'
import { textResponse } from './text-response.ts'

type Styled = Pick<Common, 'style'>

/** The response of an operation, without the headers that every response has. */
export interface Answer {
  readonly status: number
  /** Text of the body; null for none. */
  readonly body: string | null
  readonly mediaType?: string
  readonly headers?: Readonly<Record<string, string>>
}

const MEDIA_TYPES = {
  bare: { json: 'application/json', problem: 'application/problem+json' },
  charset: { json: 'application/json; charset=utf-8', problem: 'application/problem+json; charset=utf-8' },
  'mixed-case': { json: 'Application/JSON', problem: 'Application/Problem+JSON' },
} as const

/** An answer with a JSON body in the style of the reference. */
export function jsonAnswer(status: number, value: unknown, styled: Styled): Answer {
  return textAnswer(status, encode(value, styled), styled)
}

/** An answer whose body is JSON already. */
export function textAnswer(status: number, body: string, { style }: Styled): Answer {
  return { status, body, mediaType: MEDIA_TYPES[style.mediaTypeForm].json }
}

/** An answer without body, and so without content type. */
export function emptyAnswer(status: number): Answer {
  return { status, body: null }
}

/** An answer with a problem document. */
export function problemAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>>,
  styled: Styled,
): Answer {
  return { status, body: encode(value, styled), mediaType: MEDIA_TYPES[styled.style.mediaTypeForm].problem, headers }
}

/** JSON in the style of the reference. */
export function encode(value: unknown, { style }: Styled): string {
  return style.json === 'compact' ? JSON.stringify(value) : JSON.stringify(value, null, 2)
}

/** An answer as a response; a HEAD gets everything but the body. */
export function respond(
  { body, headers, mediaType, status }: Answer,
  more: Readonly<Record<string, string>>,
  isHead: boolean,
): Response {
  const all: Record<string, string> = { ...more, ...headers }
  if (mediaType !== undefined) all['content-type'] = mediaType
  return textResponse(isHead ? null : body, { status, headers: all })
}
