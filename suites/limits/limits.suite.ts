import { tables } from '../../generated/tables.ts'
import { structuredList } from '../../harness/client/rate-windows.ts'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import { everyExchange, invariant } from '../../harness/rule/registry.ts'
import { headers, present } from '../shared/header-table.ts'
import { countFault, lengthFault, rateItems } from './rate-items.ts'
import { isRefilled, resetShownBy, type ShownReset } from './reset-time.ts'
import { headersIn, uncounted, windowsIn } from './windows-in.ts'

const windows = sorted(tables.podWindows.map(({ name }) => name))

headers('limits.pods.headers-on-success', {
  on: 'success',
  // Quotas are per user; a request without a key of the run has no user.
  of: ({ key, operation, response }) => (key === null || uncounted.has(operation) ? null : response),
  headers: { RateLimit: present, 'RateLimit-Policy': present },
})

invariant<Readings>('limits.pods.headers-syntax', {}, (readings, exchange) => {
  const seen = judge(exchange, ({ name, count, seconds, text }) => {
    const items = rateItems(text)
    const expected = `${count} (whole) and ${seconds} of each window of ${name} as numbers from 0 on`
    const observed = items.flatMap(({ name: window, parameters }) => [
      ...faultsIn(`${count} of ${window}`, countFault(parameters.get(count))),
      ...faultsIn(`${seconds} of ${window}`, lengthFault(parameters.get(seconds))),
    ])
    return (items.length === 0 ? ['no window'] : observed).map((observed) => ({ expected, observed }))
  })
  if (seen === null) return { state: readings, exercised: [], findings: [] }
  const state = withFractions(readings, exchange)
  return { ...seen, state, readings: state }
})

everyExchange('limits.pods.windows', (exchange) =>
  judge(exchange, ({ name, text }) => {
    const shown = sorted(rateItems(text).map((item) => item.name))
    return shown === windows
      ? []
      : [{ expected: `the windows ${windows} in ${name}`, observed: shown === '' ? 'no window' : shown }]
  }),
)

everyExchange('limits.pods.structured', (exchange) =>
  judge(exchange, ({ name, text }) => {
    const expected = `${name} as a structured-field list of strings`
    const list = structuredList(text)
    if (list === null) return [{ expected, observed: 'no structured-field list' }]
    const others = list.filter(([item]) => typeof item !== 'string')
    return others.map(([item]) => ({ expected, observed: Array.isArray(item) ? 'an inner list' : 'no string' }))
  }),
)

const lengths = new Map(tables.podWindows.map(({ name, seconds }): [string, number] => [name, seconds]))

everyExchange('limits.pods.window-length', (exchange) => {
  const shown = windowsIn(exchange).filter(({ name, w }) => w !== null && lengths.has(name))
  return {
    exercised: shown.length > 0 ? ['length'] : [],
    findings: shown.flatMap(({ name, w }) =>
      w === lengths.get(name)
        ? []
        : [{ clause: 'length', expected: `w ${lengths.get(name)} of ${name}`, observed: `w ${w} of ${name}` }],
    ),
  }
})

everyExchange('limits.pods.bounds', (exchange, { tolerances }) => {
  const pairs = windowsIn(exchange).flatMap(({ name, r, q, t, w }) => [
    { clause: 'remaining', value: r, bound: q, slack: 0, of: 'r', by: `q in the window ${name}` },
    { clause: 'reset', value: t, bound: w, slack: tolerances.windowSlackS, of: 't', by: `w in the window ${name}` },
  ])
  const shown = pairs.filter(({ value, bound }) => value !== null && bound !== null)
  const broken = shown.filter(({ value, bound, slack }) => Number(value) > Number(bound) + slack)
  return {
    exercised: [...new Set(shown.map(({ clause }) => clause))],
    findings: broken.map(({ clause, of, by }) => {
      return { clause, expected: `${of} at most ${by}`, observed: `${of} above ${by}` }
    }),
  }
})

type Readings = Readonly<Record<string, string>>

function faultsIn(what: string, fault: string | null): string[] {
  return fault === null ? [] : [`${what} ${fault}`]
}

/** Seconds are not said to be whole: whether any had a fraction is recorded for each parameter. */
function withFractions(readings: Readings, exchange: Exchange): Readings {
  const seen = headersIn(exchange).map(({ name, seconds, text }) => {
    const isFractional = rateItems(text).some(({ parameters }) => parameters.get(seconds)?.includes('.'))
    const key = `${seconds} of ${name}`
    return [key, isFractional ? 'with a fraction' : (readings[key] ?? 'whole')]
  })
  return { ...readings, ...Object.fromEntries(seen) }
}

/** Judges each of the headers that is there; if none is, the response says nothing. */
function judge(
  exchange: Exchange,
  flaws: (header: ReturnType<typeof headersIn>[number]) => { readonly expected: string; readonly observed: string }[],
) {
  const found = headersIn(exchange)
  if (found.length === 0) return null
  return {
    exercised: found.map(({ clause }) => clause),
    findings: found.flatMap((header) => flaws(header).map((flaw) => ({ clause: header.clause, ...flaw }))),
  }
}

function sorted(names: readonly string[]): string {
  return [...names].sort().join(', ')
}

/** The first response of a window that has not reset since, by key and window. */
type Looks = Readonly<Record<string, ShownReset>>

invariant<Looks>('limits.pods.resets', {}, (looks, exchange, { tolerances }) => {
  const { key, response, sent, received } = exchange
  // A 429 may come from a limiter in front of the API.
  const windows = key === null || response?.status === 429 ? [] : windowsIn(exchange)
  const next: Record<string, ShownReset> = { ...looks }
  const stuck: string[] = []
  let isExercised = false
  for (const window of windows) {
    const { name, t } = window
    if (t === null) continue
    const id = `${key} ${name}`
    const first = looks[id]
    const shown = first === undefined ? 'reset' : resetShownBy(first, window, exchange, tolerances.windowSlackS)
    // A window may have reset between the two responses, and begun anew.
    if (shown === 'reset') {
      next[id] = { t, sentMs: sent.target, receivedMs: received.target }
      if (first !== undefined && isRefilled(window)) isExercised = true
    }
    if (shown === 'fell' || shown === 'stuck') isExercised = true
    if (shown === 'stuck') stuck.push(name)
  }
  const findings = stuck.map((name) => ({
    clause: 'falls',
    expected: `t of ${name} falls with time until the window resets`,
    observed: `t of ${name} has not fallen`,
  }))
  return { state: next, exercised: isExercised ? ['falls'] : [], findings }
})
