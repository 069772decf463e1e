import type { WireRequest } from '../exchange/exchange.ts'

const decoder = new TextDecoder()

class PlainRequest
  implements
    Pick<Request, 'method' | 'url' | 'headers' | 'signal' | 'body' | 'bodyUsed' | 'text' | 'json' | 'arrayBuffer'>
{
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly #body: Uint8Array | null
  #signal: AbortSignal | undefined
  /** Has the body once somebody has looked at its stream. */
  #streamed: Response | undefined
  #isTaken = false

  constructor(method: string, url: string, headers: Headers, body: Uint8Array | null, signal?: AbortSignal) {
    this.method = method
    this.url = url
    this.headers = headers
    this.#body = body
    this.#signal = signal
  }

  get signal(): AbortSignal {
    this.#signal ??= new AbortController().signal
    return this.#signal
  }

  get body(): Request['body'] {
    if (this.#body === null) return null
    if (this.#isTaken) throw new TypeError(isTaken)
    this.#streamed ??= new Response(new Uint8Array(this.#body))
    return this.#streamed.body
  }

  get bodyUsed(): boolean {
    return this.#isTaken || this.#streamed?.bodyUsed === true
  }

  async text(): Promise<string> {
    return this.#streamed === undefined ? decoder.decode(this.#take()) : this.#streamed.text()
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#streamed === undefined ? this.#take().buffer : this.#streamed.arrayBuffer()
  }

  clone(): PlainRequest {
    if (this.bodyUsed) throw new TypeError(isTaken)
    return new PlainRequest(this.method, this.url, new Headers(this.headers), this.#body, this.#signal)
  }

  /** A copy of the bytes, once. */
  #take(): Uint8Array<ArrayBuffer> {
    if (this.#isTaken) throw new TypeError(isTaken)
    this.#isTaken = this.#body !== null
    return new Uint8Array(this.#body ?? [])
  }
}

const isTaken = 'the body of this request has been read'

/**
 * A request of bytes, of any method and with any body, as HTTP allows. It has the members that this project reads, and
 * needs no stream for them. Throws TypeError for an address or a header that no request may have.
 */
export function plainRequest({ method, url, headers, body }: WireRequest, signal: AbortSignal | undefined): Request {
  const lines = new Headers(headers.map(([name, value]) => [name, value] as [string, string]))
  return new PlainRequest(method, new URL(url).href, lines, body, signal) as unknown as Request
}
