import { type Exchange, headerList, headerOf, jsonOf, type WireResponse } from '../exchange/exchange.ts'

/** A whole answer, as a rule sees it. The body stays `unknown`; the readers of a check are the only way in. */
export interface Reply {
  readonly exchange: Exchange
  readonly status: number
  readonly bytes: Uint8Array
  /** A gateway answered this request again and again, while the API answered another one. */
  readonly isLasting?: boolean
  /** The parsed body; undefined where it is no JSON. */
  readonly json: unknown
  /** First line of a header, null where it is missing. */
  header(name: string): string | null
  /** All lines of a header joined. */
  list(name: string): string | null
}

export function toReply(exchange: Exchange, response: WireResponse): Reply {
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
