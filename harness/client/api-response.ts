import { type Exchange, headerList, headerOf, jsonOf, type WireResponse } from '../exchange/exchange.ts'

/** A complete response, as a rule sees it. The body is `unknown`; only the readers of a check give access to it. */
export interface ApiResponse {
  readonly exchange: Exchange
  readonly status: number
  readonly bytes: Uint8Array
  /** True if a gateway kept answering this request while the API answered another one. */
  readonly isDeliberate?: boolean
  /** Reported in place of the status; default: `status N`. */
  readonly text?: string
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown
  /** First line of a header, null if it is missing. */
  header(name: string): string | null
  /** All lines of a header joined. */
  list(name: string): string | null
}

export function toApiResponse(exchange: Exchange, response: WireResponse): ApiResponse {
  let parsed: { value: unknown } | null = null
  return {
    exchange,
    status: response.status,
    bytes: response.body,
    get json() {
      parsed ??= { value: jsonOf(response.body) }
      return parsed.value
    },
    header: (name) => headerOf(response.headers, name),
    list: (name) => headerList(response.headers, name),
  }
}
