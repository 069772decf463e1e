/**
 * Why a request is not served. It becomes a problem document; it is never a fault of the reference itself, and no Error
 * either: a stack trace that nobody reads would cost more than the rest of the response.
 */
export class Refusal {
  readonly status: number
  readonly message: string
  /** Individual failures of the validation, each as `path: what is wrong`. */
  readonly errors: readonly string[]
  /** Headers that belong to this refusal alone, such as Allow. */
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, detail: string, more: RefusalMore = {}) {
    this.message = detail
    this.status = status
    this.errors = more.errors ?? []
    this.headers = more.headers ?? {}
  }
}

interface RefusalMore {
  readonly errors?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}
