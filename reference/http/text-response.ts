interface Init {
  readonly status: number
  readonly headers: Headers | Readonly<Record<string, string>>
}

const encoder = new TextEncoder()

class TextResponse
  implements Pick<Response, 'status' | 'ok' | 'headers' | 'body' | 'bodyUsed' | 'text' | 'json' | 'arrayBuffer'>
{
  readonly status: number
  readonly #text: string | null
  readonly #init: Init
  #headers: Headers | undefined
  /** Has the body once somebody has looked at its stream. */
  #streamed: Response | undefined
  #isTaken = false

  constructor(text: string | null, init: Init) {
    this.status = init.status
    this.#text = text
    this.#init = init
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  get headers(): Headers {
    this.#headers ??= new Headers(this.#init.headers)
    return this.#headers
  }

  get body(): Response['body'] {
    if (this.#text === null) return null
    if (this.#isTaken) throw new TypeError(isTaken)
    this.#streamed ??= new Response(this.#text)
    return this.#streamed.body
  }

  get bodyUsed(): boolean {
    return this.#isTaken || this.#streamed?.bodyUsed === true
  }

  async text(): Promise<string> {
    return this.#streamed === undefined ? this.#take() : this.#streamed.text()
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#streamed === undefined ? encoder.encode(this.#take()).buffer : this.#streamed.arrayBuffer()
  }

  clone(): TextResponse {
    if (this.bodyUsed) throw new TypeError(isTaken)
    return new TextResponse(this.#text, { status: this.status, headers: new Headers(this.headers) })
  }

  native(): Response {
    const body = this.#text === null ? null : (this.#streamed?.body ?? this.#take())
    return new Response(body, { status: this.status, headers: this.headers })
  }

  /** The text, once. */
  #take(): string {
    if (this.#isTaken) throw new TypeError(isTaken)
    this.#isTaken = this.#text !== null
    return this.#text ?? ''
  }
}

const isTaken = 'the body of this response has been read'

/**
 * A response whose body is a text, with its media type among the headers, or null for none. It has the members that this
 * project reads, and needs no stream for them.
 */
export function textResponse(text: string | null, init: Init): Response {
  return new TextResponse(text, init) as unknown as Response
}

/** The native response for one from `textResponse`; any other as it is. */
export function nativeResponse(response: Response): Response {
  return response instanceof TextResponse ? (response as TextResponse).native() : response
}
