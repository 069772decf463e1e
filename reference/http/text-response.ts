interface Init {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

const utf8 = new TextEncoder()

/** The part of a Response that is read in this process. */
type Readable = Pick<Response, 'status' | 'ok' | 'headers' | 'body' | 'text' | 'json' | 'arrayBuffer'>

class TextResponse implements Readable {
  readonly status: number
  readonly #text: string | null
  readonly #init: Init
  #headers: Headers | undefined
  #native: Response | undefined
  #isRead = false

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
    return this.#text === null ? null : this.native().body
  }

  async text(): Promise<string> {
    return this.#native === undefined ? this.#take() : this.#native.text()
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#native === undefined ? utf8.encode(this.#take()).buffer : this.#native.arrayBuffer()
  }

  clone(): TextResponse {
    if (this.#isRead) throw new TypeError(hasBeenRead)
    return new TextResponse(this.#text, { status: this.status, headers: Object.fromEntries(this.headers) })
  }

  native(): Response {
    this.#native ??= new Response(this.#text, { status: this.status, headers: this.headers })
    return this.#native
  }

  /** Like a native body, it is read once. */
  #take(): string {
    if (this.#isRead) throw new TypeError(hasBeenRead)
    this.#isRead = this.#text !== null
    return this.#text ?? ''
  }
}

const hasBeenRead = 'the body of this response has been read'

/**
 * A response whose body is a text, with its media type among the headers, or null for none. It is read without the streams of a native one, which cost more than
 * all else in an exchange within a process.
 */
export function textResponse(text: string | null, init: Init): Response {
  return new TextResponse(text, init) as unknown as Response
}

/** The native response for one from `textResponse`; any other as it is. A server on a port needs this. */
export function nativeResponse(response: Response): Response {
  return response instanceof TextResponse ? (response as TextResponse).native() : response
}
