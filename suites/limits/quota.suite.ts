import { type Exchange, isSuccess } from '../../harness/exchange/exchange.ts'
import { invariant } from '../../harness/rule/registry.ts'
import { noRefusals, type Refusals, refused, type Sent } from './early-refusals.ts'
import { counted, isTooHigh, maxLeft, nothingCounted, type WindowCount } from './window-count.ts'
import { uncounted, windowsIn } from './windows-in.ts'

/** By key, window and policy: what was served beside another policy counts for another quota. */
type Counts = Readonly<Record<string, WindowCount>>

invariant<Counts>('limits.pods.counts-down', {}, (counts, exchange) => {
  const { key, response, sent, received } = exchange
  if (key === null || response === null || !isSuccess(response.status)) {
    return { state: counts, exercised: [], findings: [] }
  }
  const next: Record<string, WindowCount> = { ...counts }
  const findings: { clause: string; expected: string; observed: string }[] = []
  let isExercised = false
  for (const { name, r, q, w } of windowsIn(exchange)) {
    if (r === null || q === null || w === null || w <= 0) continue
    const policy = { quota: q, lengthMs: w * 1_000 }
    const served = { sentMs: sent.target, receivedMs: received.target, left: r }
    const id = `${key} ${name} ${q} ${w}`
    const before = counts[id] ?? nothingCounted
    const count = counted(before, served, policy)
    next[id] = count
    if (count.hasChanged) isExercised = true
    const most = maxLeft(before, served, policy)
    if (isTooHigh(count, served, most, policy)) findings.push(faultOf(name, most))
  }
  return { state: next, exercised: isExercised ? ['falls'] : [], findings }
})

function faultOf(name: string, most: number) {
  return most < 0
    ? {
        clause: 'falls',
        expected: `no more served than q of ${name} grants`,
        observed: `more served than q of ${name} grants`,
      }
    : {
        clause: 'falls',
        expected: `r of ${name} falls as requests are served`,
        observed: `r of ${name} has not fallen`,
      }
}

invariant<Refusals>(
  'limits.pods.no-early-429',
  noRefusals,
  (refusals, exchange, { tolerances }) => {
    const { state, isKnown, proven } = refused(refusals, sentOf(exchange), tolerances.answerMs)
    return { state, exercised: isKnown && isCounted(exchange) ? ['refused'] : [], findings: proven.map(earlyRefusal) }
  },
  { atEnd: ({ early }) => early.map(earlyRefusal) },
)

function earlyRefusal({ n }: Refusals['early'][number]) {
  return { clause: 'refused', expected: 'no 429 while r is above 0 in every window', observed: '429', exchange: n }
}

function sentOf(exchange: Exchange): Sent {
  const { n, key, sent, received, response } = exchange
  const shown = windowsIn(exchange).map(({ r }) => r)
  const left = shown.length === 0 || shown.includes(null) ? null : Math.min(...shown.map(Number))
  const isRefused = response?.status === 429 && isCounted(exchange) && left !== 0
  return { n, key, sentMs: sent.target, receivedMs: received.target, left, isRefused }
}

function isCounted({ key, operation }: Exchange): boolean {
  return key !== null && !uncounted.has(operation)
}
