import type { RuleId } from '../../generated/rules.ts'
import { type Exchange, headerList, isSuccess, type WireResponse } from '../../harness/exchange/exchange.ts'
import { everyExchange } from '../../harness/rule/registry.ts'
import type { Registered } from './table.ts'

/** Headers of responses. Its defects are derived from it in `proof/`. */
export interface HeaderTable {
  /** The responses that have them. */
  readonly on: 'success' | 'error'
  /** The response of an exchange; null if nothing is promised about it. */
  readonly of: (exchange: Exchange) => WireResponse | null
  readonly headers: Readonly<Record<string, HeaderReader>>
}

/** An expectation of a header. */
interface HeaderReader {
  readonly expected: (name: string) => string
  /** The fault of a header, or of its absence; null if there is none. */
  readonly faultOf: (value: string | null, name: string) => string | null
  /** Values that break it, by a word for each; null: the header is missing. */
  readonly wrong: Readonly<Record<string, string | null>>
}

const registered: Registered<HeaderTable>[] = []

/** Every header table, in the order of registration. */
export const headerTables: readonly Registered<HeaderTable>[] = registered

/** Registers an invariant: each of these responses has these headers, a clause each. */
export function headers(id: RuleId, table: HeaderTable): void {
  registered.push({ id, table })
  everyExchange(id, (exchange) => {
    const response = table.of(exchange)
    if (response === null || !classes[table.on](response.status)) return null
    const findings = Object.entries(table.headers).flatMap(([name, { expected, faultOf }]) => {
      const observed = faultOf(headerList(response.headers, name), name)
      return observed === null ? [] : [{ clause: headerClause(name), expected: expected(name), observed }]
    })
    return { exercised: Object.keys(table.headers).map(headerClause), findings }
  })
}

const classes = { success: isSuccess, error: (status: number) => status >= 400 }

/** The clause about a header: `rate-limit` for RateLimit. */
export function headerClause(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
}

/** The header is there. */
export const present: HeaderReader = {
  expected: (name) => `the header ${name}`,
  faultOf: (value, name) => (value === null ? `no ${name}` : null),
  wrong: { dropped: null },
}

/** The header names this media type, with any parameters. */
export function mediaType(type: string): HeaderReader {
  return {
    expected: () => type,
    faultOf(value, name) {
      const own = value?.split(';')[0]?.trim().toLowerCase() ?? `no ${name}`
      return own === type ? null : own
    },
    wrong: { dropped: null, 'plain text': 'text/plain', json: 'application/json' },
  }
}
