import { tables } from '../../generated/tables.ts'
import { structuredList } from '../harness/client/structured.ts'
import { headerList, type WireResponse } from '../harness/exchange.ts'
import { everyExchange } from '../harness/registry.ts'
import { numberOf, rateItems, wholeFault } from './rate-items.ts'

/** Both headers (heading Limits): the clause that is about each, and the parameters of its windows. */
const headers = [
  { clause: 'rate-limit', name: 'RateLimit', parameters: ['r', 't'] },
  { clause: 'rate-limit-policy', name: 'RateLimit-Policy', parameters: ['q', 'w'] },
] as const

const windows = sorted(tables.podWindows.map(({ name }) => name))

everyExchange('limits.pods.headers-on-success', ({ key, response }) => {
  // Quotas are per user; a request without a key of the run is nobody's.
  if (key === null || response === null || response.status < 200 || response.status > 299) return null
  const missing = headers.filter(({ name }) => headerList(response.headers, name) === null)
  return {
    exercised: headers.map(({ clause }) => clause),
    findings: missing.map(({ clause, name }) => ({ clause, expected: `the header ${name}`, observed: `no ${name}` })),
  }
})

everyExchange('limits.pods.headers-syntax', ({ response }) =>
  judge(response, ({ name, parameters }, text) => {
    const items = rateItems(text)
    const expected = `${parameters.join(' and ')} of each window of ${name} as whole numbers from 0 on`
    const observed = items.flatMap((item) =>
      parameters.flatMap((parameter) => {
        const fault = wholeFault(item.parameters.get(parameter))
        return fault === null ? [] : [`${parameter} of ${item.name} ${fault}`]
      }),
    )
    return (items.length === 0 ? ['no window'] : observed).map((observed) => ({ expected, observed }))
  }),
)

everyExchange('limits.pods.windows', ({ response }) =>
  judge(response, ({ name }, text) => {
    const shown = sorted(rateItems(text).map((item) => item.name))
    return shown === windows
      ? []
      : [{ expected: `the windows ${windows} in ${name}`, observed: shown === '' ? 'no window' : shown }]
  }),
)

everyExchange('limits.pods.structured', ({ response }) =>
  judge(response, ({ name }, text) => {
    const expected = `${name} as a structured-field list of strings`
    const list = structuredList(text)
    if (list === null) return [{ expected, observed: 'no structured-field list' }]
    const others = list.filter(([item]) => typeof item !== 'string')
    return others.map(([item]) => ({ expected, observed: Array.isArray(item) ? 'an inner list' : 'no string' }))
  }),
)

everyExchange('limits.pods.bounds', ({ response }, { tolerances }) => {
  const limit = response === null ? null : headerList(response.headers, 'RateLimit')
  const policy = response === null ? null : headerList(response.headers, 'RateLimit-Policy')
  if (limit === null || policy === null) return null
  const policies = new Map(rateItems(policy).map(({ name, parameters }) => [name, parameters]))
  const pairs = rateItems(limit).flatMap(({ name, parameters }) => [
    { ...pair(name, 'r', parameters.get('r'), 'q', policies.get(name)?.get('q')), slack: 0 },
    { ...pair(name, 't', parameters.get('t'), 'w', policies.get(name)?.get('w')), slack: tolerances.windowSlackS },
  ])
  const judged = pairs.filter(({ value, bound }) => value !== null && bound !== null)
  const broken = judged.filter(({ value, bound, slack }) => Number(value) > Number(bound) + slack)
  return {
    exercised: [...new Set(judged.map(({ clause }) => clause))],
    findings: broken.map(({ clause, expected, observed }) => ({ clause, expected, observed })),
  }
})

function pair(window: string, of: 'r' | 't', raw: string | undefined, by: 'q' | 'w', rawBound: string | undefined) {
  return {
    clause: of === 'r' ? 'remaining' : 'reset',
    value: numberOf(raw),
    bound: numberOf(rawBound),
    expected: `${of} at most ${by} in the window ${window}`,
    observed: `${of} above ${by} in the window ${window}`,
  }
}

type Header = (typeof headers)[number]

/** Judges each of the headers that is there; where none is, the answer says nothing. */
function judge(
  response: WireResponse | null,
  flaws: (header: Header, text: string) => { readonly expected: string; readonly observed: string }[],
) {
  const present = headers.flatMap((header) => {
    const text = response === null ? null : headerList(response.headers, header.name)
    return text === null ? [] : [{ header, text }]
  })
  if (present.length === 0) return null
  return {
    exercised: present.map(({ header }) => header.clause),
    findings: present.flatMap(({ header, text }) =>
      flaws(header, text).map((flaw) => ({ clause: header.clause, ...flaw })),
    ),
  }
}

function sorted(names: readonly string[]): string {
  return [...names].sort().join(', ')
}
