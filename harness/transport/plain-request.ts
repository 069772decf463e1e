import type { WireRequest } from '../exchange/exchange.ts'

const utf8 = new TextDecoder()

class PlainRequest implements Pick<Request, 'method' | 'url' | 'headers' | 'signal' | 'body' | 'text' | 'arrayBuffer'> {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly #body: Uint8Array | null
  readonly #signal: AbortSignal | undefined
  #native: Request | undefined
  #isRead = false

  constructor(method: string, url: string, headers: Headers, body: Uint8Array | null, signal?: AbortSignal) {
    this.method = method
    this.url = url
    this.headers = headers
    this.#body = body
    this.#signal = signal
  }

  get signal(): AbortSignal {
    return this.#signal ?? this.#whole().signal
  }

  get body(): Request['body'] {
    return this.#body === null ? null : this.#whole().body
  }

  async text(): Promise<string> {
    return this.#native === undefined ? utf8.decode(this.#take()) : this.#native.text()
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#native === undefined ? new Uint8Array(this.#take()).buffer : this.#native.arrayBuffer()
  }

  clone(): PlainRequest {
    if (this.#isRead) throw new TypeError(hasBeenRead)
    return new PlainRequest(this.method, this.url, new Headers(this.headers), this.#body, this.#signal)
  }

  #whole(): Request {
    const { method, headers } = this
    const [body, signal] = [this.#body === null ? null : new Uint8Array(this.#body), this.#signal ?? null]
    this.#native ??= new Request(this.url, { method, headers, body, signal })
    return this.#native
  }

  /** Like a native body, it is read once. */
  #take(): Uint8Array {
    if (this.#isRead) throw new TypeError(hasBeenRead)
    this.#isRead = this.#body !== null
    return this.#body ?? new Uint8Array()
  }
}

const hasBeenRead = 'the body of this request has been read'

/**
 * A request of bytes. It is read without the streams of a native one, which cost more than all else in an exchange within
 * a process.
 */
export function plainRequest({ method, url, headers, body }: WireRequest, signal: AbortSignal | undefined): Request {
  const lines = new Headers(headers.map(([name, value]) => [name, value] as [string, string]))
  return new PlainRequest(method, new URL(url).href, lines, body, signal) as unknown as Request
}
