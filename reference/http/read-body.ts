import type { Common } from '../common.ts'
import type { Style } from '../style.ts'
import { Refusal } from './refusal.ts'

/** The longest body that is read, in bytes. */
const MAXIMUM_BODY_BYTES = 1_000_000
/** The deepest nesting of arrays and objects that is read. */
const MAXIMUM_BODY_DEPTH = 200

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i
const utf8 = new TextDecoder('utf-8', { fatal: true })
const OPEN_BRACKETS = '[{'
const CLOSE_BRACKETS = ']}'

/**
 * Reads the body of a request as JSON.
 * @throws Refusal if there is none, or it is no UTF-8, no JSON, too long, too deep, or of a type that is not read.
 */
export async function readBody(request: Request, { style }: Common): Promise<unknown> {
  const { headers } = request
  const length = headers.get('content-length')
  const isInPieces = length === null && headers.has('transfer-encoding')
  if (Number(length) > MAXIMUM_BODY_BYTES) throw oversized(style)
  const bytes = isInPieces ? await readPieces(request) : new Uint8Array(await request.arrayBuffer())
  if (bytes.byteLength > MAXIMUM_BODY_BYTES) throw oversized(style)
  if (style.mediaType !== 'read' && !isJson(headers.get('content-type'))) {
    throw new Refusal(style.mediaType, 'the content type of a body must be application/json')
  }
  if (bytes.byteLength === 0) throw new Refusal(style.emptyBody, 'a body is required')
  const text = decode(bytes)
  if (text === null) throw new Refusal(style.notUtf8, 'the body is not UTF-8')
  if (text.length > MAXIMUM_BODY_DEPTH && isTooDeep(text)) {
    throw new Refusal(style.oversize, `a body may be nested ${MAXIMUM_BODY_DEPTH} levels deep at most`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'the body is not JSON')
  }
}

/** The bytes of a body that is sent in pieces; those beyond the limit are not waited for. */
async function readPieces({ body }: Request): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.byteLength
    pieces.push(piece)
    if (length > MAXIMUM_BODY_BYTES) break
  }
  return Buffer.concat(pieces)
}

/** A body whose type is not said is taken for JSON. */
function isJson(contentType: string | null): boolean {
  return contentType === null || JSON_TYPE.test(contentType)
}

function oversized({ oversize }: Style): Refusal {
  return new Refusal(oversize, `a body may have ${MAXIMUM_BODY_BYTES} bytes at most`)
}

function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/** Counts brackets outside strings; what is not JSON is found out by the parser. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (isInString) {
      if (character === '\\') at++
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (OPEN_BRACKETS.includes(character)) {
      depth++
      if (depth > MAXIMUM_BODY_DEPTH) return true
    } else if (CLOSE_BRACKETS.includes(character)) depth--
  }
  return false
}
