import { memoize } from '../../harness/common/memoize.ts'
import { type Exchange, headerList } from '../../harness/exchange/exchange.ts'
import { numberOf, rateItems } from './rate-items.ts'

/** Both headers (heading Limits): the clause that is about each, and what its windows count and how long they take. */
const rateHeaders = [
  { clause: 'rate-limit', name: 'RateLimit', count: 'r', seconds: 't' },
  { clause: 'rate-limit-policy', name: 'RateLimit-Policy', count: 'q', seconds: 'w' },
] as const

/** Nothing says that listings of the catalog are counted, or requests that are not operations. */
export const uncounted: ReadonlySet<string> = new Set(['listCpuFlavors', 'otherPodRoute'])

/** The rate headers of a response, with their texts. Every rule here reads them. */
export const headersIn = memoize(({ operation, response }: Exchange) => {
  if (response === null || uncounted.has(operation)) return []
  return rateHeaders.flatMap((header) => {
    const text = headerList(response.headers, header.name)
    return text === null ? [] : [{ ...header, text }]
  })
})

/** The numbers of each window in RateLimit, and those of its policy; null for one that is not shown. */
export const windowsIn = memoize((exchange: Exchange) => {
  const shown = headersIn(exchange)
  const itemsOf = (wanted: string) => shown.filter(({ name }) => name === wanted).flatMap(({ text }) => rateItems(text))
  const policies = new Map(itemsOf('RateLimit-Policy').map(({ name, parameters }) => [name, parameters]))
  return itemsOf('RateLimit').map(({ name, parameters }) => {
    const [r, t] = [numberOf(parameters.get('r')), numberOf(parameters.get('t'))]
    const [q, w] = [numberOf(policies.get(name)?.get('q')), numberOf(policies.get(name)?.get('w'))]
    return { name, r, t, q, w }
  })
})

/** A window as one response shows it. */
export type Window = ReturnType<typeof windowsIn>[number]
