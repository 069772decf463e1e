const utf8 = new TextEncoder()

/** Body bytes that are sent unchanged. */
export class RawBody {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** A body that is text or bytes instead of a JSON value, sent unchanged. */
export function raw(body: string | Uint8Array): RawBody {
  return new RawBody(typeof body === 'string' ? utf8.encode(body) : body)
}

/** No body at all. */
export const nothing = new RawBody(new Uint8Array())

/** The bytes of a body: a RawBody as it is, anything else as JSON; null for none. */
export function bytesOf(body: unknown): Uint8Array | null {
  if (body === undefined) return null
  if (body instanceof RawBody) return body.bytes.length === 0 ? null : body.bytes
  return utf8.encode(JSON.stringify(body))
}
