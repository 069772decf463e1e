/** The part of k6 that these scripts use. */
declare const __ENV: Readonly<Record<string, string | undefined>>
declare function open(path: string): string

declare module 'k6' {
  export function sleep(seconds: number): void
}

declare module 'k6/execution' {
  const execution: { readonly scenario: { readonly name: string; readonly iterationInTest: number } }
  export default execution
}

declare module 'k6/metrics' {
  export class Counter {
    constructor(name: string)
    add(value: number, tags?: Readonly<Record<string, string>>): void
  }
  export class Trend {
    constructor(name: string, isTime?: boolean)
    add(value: number, tags?: Readonly<Record<string, string>>): void
  }
}

declare module 'k6/http' {
  export interface Response {
    readonly status: number
    readonly error_code: number
    readonly headers: Readonly<Record<string, string>>
    /** Null if bodies are discarded. */
    readonly body: string | null
    readonly timings: { readonly duration: number }
  }
  export interface Params {
    readonly headers?: Readonly<Record<string, string>>
    readonly tags?: Readonly<Record<string, string>>
    readonly timeout?: string
    readonly responseType?: 'text'
  }
  interface Http {
    request(method: string, url: string, body: string | null, params: Params): Response
    setResponseCallback(callback: unknown): void
    expectedStatuses(...statuses: (number | { readonly min: number; readonly max: number })[]): unknown
  }
  const http: Http
  export default http
}
