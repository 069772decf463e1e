/** Why a request is not served. It becomes a problem document; it is never a fault of the reference itself. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  /** Individual failures of the validation, each as `path: what is wrong`. */
  readonly errors: readonly string[]
  /** Headers that belong to this refusal alone, such as Allow. */
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, detail: string, more: RefusalMore = {}) {
    super(detail)
    this.status = status
    this.errors = more.errors ?? []
    this.headers = more.headers ?? {}
  }
}

interface RefusalMore {
  readonly errors?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}
