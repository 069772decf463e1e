import { tables } from '../../generated/tables.ts'
import { structuredList } from '../../harness/client/structured.ts'
import { type Exchange, headerList, type WireResponse } from '../../harness/exchange/exchange.ts'
import { everyExchange, invariant } from '../../harness/rule/registry.ts'
import { headers, present } from '../shared/header-table.ts'
import { countFault, lengthFault, numberOf, rateItems } from './rate-items.ts'

/** Both headers (heading Limits): the clause that is about each, and what its windows count and how long they take. */
const rateHeaders = [
  { clause: 'rate-limit', name: 'RateLimit', count: 'r', seconds: 't' },
  { clause: 'rate-limit-policy', name: 'RateLimit-Policy', count: 'q', seconds: 'w' },
] as const

const windows = sorted(tables.podWindows.map(({ name }) => name))

headers('limits.pods.headers-on-success', {
  on: 'success',
  // Quotas are per user; a request without a key of the run has no user.
  of: (exchange) => (exchange.key === null ? null : limitedAnswer(exchange)),
  headers: { RateLimit: present, 'RateLimit-Policy': present },
})

invariant<Readings>('limits.pods.headers-syntax', {}, (readings, exchange) => {
  const seen = judge(exchange, ({ name, count, seconds }, text) => {
    const items = rateItems(text)
    const expected = `${count} (whole) and ${seconds} of each window of ${name} as numbers from 0 on`
    const observed = items.flatMap(({ name: window, parameters }) => [
      ...told(`${count} of ${window}`, countFault(parameters.get(count))),
      ...told(`${seconds} of ${window}`, lengthFault(parameters.get(seconds))),
    ])
    return (items.length === 0 ? ['no window'] : observed).map((observed) => ({ expected, observed }))
  })
  if (seen === null) return { state: readings, exercised: [], findings: [] }
  const state = withFractions(readings, exchange)
  return { ...seen, state, readings: state }
})

everyExchange('limits.pods.windows', (exchange) =>
  judge(exchange, ({ name }, text) => {
    const shown = sorted(rateItems(text).map((item) => item.name))
    return shown === windows
      ? []
      : [{ expected: `the windows ${windows} in ${name}`, observed: shown === '' ? 'no window' : shown }]
  }),
)

everyExchange('limits.pods.structured', (exchange) =>
  judge(exchange, ({ name }, text) => {
    const expected = `${name} as a structured-field list of strings`
    const list = structuredList(text)
    if (list === null) return [{ expected, observed: 'no structured-field list' }]
    const others = list.filter(([item]) => typeof item !== 'string')
    return others.map(([item]) => ({ expected, observed: Array.isArray(item) ? 'an inner list' : 'no string' }))
  }),
)

everyExchange('limits.pods.bounds', (exchange, { tolerances }) => {
  const response = limitedAnswer(exchange)
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

type Header = (typeof rateHeaders)[number]
type Readings = Readonly<Record<string, string>>

/** The answer to a request that the limits per user are about; nothing says that listings of the catalog are counted. */
function limitedAnswer({ operation, response }: Exchange): WireResponse | null {
  return operation === 'listCpuFlavors' ? null : response
}

function told(what: string, fault: string | null): string[] {
  return fault === null ? [] : [`${what} ${fault}`]
}

/** Seconds are not said to be whole: whether any had a fraction is recorded for each parameter. */
function withFractions(readings: Readings, exchange: Exchange): Readings {
  const response = limitedAnswer(exchange)
  const seen = rateHeaders.flatMap(({ name, seconds }) => {
    const text = response === null ? null : headerList(response.headers, name)
    if (text === null) return []
    const isFractional = rateItems(text).some(({ parameters }) => parameters.get(seconds)?.includes('.'))
    const key = `${seconds} of ${name}`
    return [[key, isFractional ? 'with a fraction' : (readings[key] ?? 'whole')]]
  })
  return { ...readings, ...Object.fromEntries(seen) }
}

/** Judges each of the headers that is there; where none is, the answer says nothing. */
function judge(
  exchange: Exchange,
  flaws: (header: Header, text: string) => { readonly expected: string; readonly observed: string }[],
) {
  const response = limitedAnswer(exchange)
  const found = rateHeaders.flatMap((header) => {
    const text = response === null ? null : headerList(response.headers, header.name)
    return text === null ? [] : [{ header, text }]
  })
  if (found.length === 0) return null
  return {
    exercised: found.map(({ header }) => header.clause),
    findings: found.flatMap(({ header, text }) =>
      flaws(header, text).map((flaw) => ({ clause: header.clause, ...flaw })),
    ),
  }
}

function sorted(names: readonly string[]): string {
  return [...names].sort().join(', ')
}

/** A window as one response shows it. */
interface Look {
  readonly t: number
  readonly sentMs: number
  readonly receivedMs: number
}

/** The first answer of a window that has not reset since, by key and window. */
type Looks = Readonly<Record<string, Look>>

/** As little time says nothing about whole seconds, ms. */
const leastMs = 2_000

invariant<Looks>('limits.pods.resets', {}, (looks, exchange, { tolerances }) => {
  const { key, operation, response, sent, received } = exchange
  const limit = response === null ? null : headerList(response.headers, 'RateLimit')
  // A 429 may come from a limiter in front of the API.
  if (key === null || limit === null || response?.status === 429 || operation === 'listCpuFlavors')
    return { state: looks, exercised: [], findings: [] }
  const policies = policiesOf(exchange)
  const next: Record<string, Look> = { ...looks }
  const findings: { clause: string; expected: string; observed: string }[] = []
  let isExercised = false
  for (const { name, parameters } of rateItems(limit)) {
    const [t, r] = [numberOf(parameters.get('t')), numberOf(parameters.get('r'))]
    if (t === null) continue
    const slackMs = tolerances.windowSlackS * 1_000
    const id = `${key} ${name}`
    const first = looks[id]
    const look = { t, sentMs: sent.target, receivedMs: received.target }
    // A window may have reset between the two answers, and begun anew.
    if (first === undefined || received.target - first.sentMs >= first.t * 1_000 - slackMs) {
      next[id] = look
      if (first !== undefined && isRefilled(t, r, policies.get(name))) isExercised = true
      continue
    }
    const passedMs = sent.target - first.receivedMs
    if (passedMs < leastMs) continue
    isExercised = true
    if (t * 1_000 <= first.t * 1_000 - passedMs + slackMs) continue
    const isAnew = isFull(t, policies.get(name), tolerances.windowSlackS) || isRefilled(t, r, policies.get(name))
    if (!isAnew) {
      findings.push({
        clause: 'falls',
        expected: `t of ${name} falls with time until the window resets`,
        observed: `t of ${name} has not fallen`,
      })
    }
  }
  return { state: next, exercised: isExercised ? ['falls'] : [], findings }
})

interface Policy {
  readonly q: number | null
  readonly w: number | null
}

function policiesOf({ response }: Exchange): ReadonlyMap<string, Policy> {
  const policy = response === null ? null : headerList(response.headers, 'RateLimit-Policy')
  const items = policy === null ? [] : rateItems(policy)
  return new Map(
    items.map(({ name, parameters }) => [name, { q: numberOf(parameters.get('q')), w: numberOf(parameters.get('w')) }]),
  )
}

/** A sliding window is empty again a whole window after the request that was just answered. */
function isFull(t: number, policy: Policy | undefined, slackS: number): boolean {
  return policy?.w != null && Math.abs(t - policy.w) <= slackS
}

/** A bucket that fills evenly is full once what was taken is refilled; or says when it has one request more. */
function isRefilled(t: number, r: number | null, policy: Policy | undefined): boolean {
  if (policy?.q == null || policy.w === null || r === null || policy.q === 0) return false
  const eachS = policy.w / policy.q
  const takenS = (policy.q - r) * eachS
  return t <= Math.ceil(eachS) + 1 || (t >= takenS - eachS - 1 && t <= takenS + 1)
}
