import { describe, expect, test } from 'vitest'
import { type LimiterKind, limiterKindNames, limiterKinds, type RateWindow } from '../../reference/limits/windows.ts'
import { noRefusals, refused } from './early-refusals.ts'
import { counted, isTooHigh, maxLeft, nothingCounted } from './window-count.ts'

const lengthMs = 60_000
const answerMs = 1_000

interface Traffic {
  readonly quota: number
  readonly clients: number
  /** The longest way there, the longest way back, and the longest pause of a client, ms. */
  readonly wayMs: number
  readonly pauseMs: number
  /** One request of others of the same account for so many of the clients; 0: none. */
  readonly others: number
  readonly seed: number
}

interface Answered {
  readonly sentMs: number
  readonly receivedMs: number
  readonly isServed: boolean
  readonly left: number
}

/** Exchanges of clients for four lengths of a window, in the order in which their requests end. */
function drive(window: RateWindow, { quota, clients, wayMs, pauseMs, others, seed }: Traffic): Answered[] {
  let state = seed
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * (below + 1))
  }
  const due = Array.from({ length: clients }, () => random(pauseMs))
  const arriving: { sentMs: number; atMs: number; client: number }[] = []
  const send = (client: number, sentMs: number) => arriving.push({ sentMs, atMs: sentMs + random(wayMs), client })
  for (const [client, sentMs] of due.entries()) send(client, sentMs)
  const answered: Answered[] = []
  for (let handled = 1; arriving.length > 0; handled++) {
    arriving.sort((a, b) => a.atMs - b.atMs)
    const { sentMs, atMs, client } = arriving.shift() ?? { sentMs: 0, atMs: 0, client: 0 }
    if (others > 0 && handled % others === 0 && window.waitMs(atMs) === 0) window.take(atMs)
    const isServed = window.waitMs(atMs) === 0
    if (isServed) window.take(atMs)
    const left = isServed ? Math.min(quota, window.remaining(atMs)) : 0
    const receivedMs = atMs + random(wayMs)
    answered.push({ sentMs, receivedMs, isServed, left })
    const nextMs = receivedMs + random(pauseMs) + (isServed ? 0 : 1_000)
    if (nextMs < 4 * lengthMs) send(client, nextMs)
  }
  return answered.sort((a, b) => a.receivedMs - b.receivedMs)
}

/** Moments of the responses that no legal way of counting explains. */
function faultsIn(answered: readonly Answered[], quota: number) {
  const policy = { quota, lengthMs }
  let count = nothingCounted
  let refusals = noRefusals
  const tooHigh: number[] = []
  const early: number[] = []
  for (const [n, one] of answered.entries()) {
    if (one.isServed) {
      const before = count
      count = counted(before, one, policy)
      if (isTooHigh(count, one, maxLeft(before, one, policy), policy)) tooHigh.push(one.receivedMs)
    }
    const next = refused(refusals, { ...one, n, key: 'full', isRefused: !one.isServed && one.left > 0 }, answerMs)
    refusals = next.state
    early.push(...next.proven.map((proven) => proven.receivedMs))
  }
  return { tooHigh, early }
}

const traffics: Traffic[] = [1, 12].flatMap((clients) =>
  [0, 3].flatMap((others) =>
    [
      { quota: 60, wayMs: 40, pauseMs: 3_000 },
      { quota: 500, wayMs: 30, pauseMs: 0 },
      { quota: 500, wayMs: 400, pauseMs: 200 },
      { quota: 6_000, wayMs: 10, pauseMs: 100 },
    ].map((one, place) => ({ ...one, clients, others, seed: 1 + place + clients + others })),
  ),
)

const create = (kind: LimiterKind, quota: number) =>
  limiterKinds[kind]({ windowMs: lengthMs, limit: () => quota, offsetMs: 777 })

/** A bucket that refills only once in a step. */
function createSteps(quota: number, steps: number): RateWindow {
  const stepMs = lengthMs / steps
  let tokens = quota
  let last = 0
  const refill = (nowMs: number) => {
    const step = Math.floor(nowMs / stepMs)
    tokens = Math.min(quota, tokens + ((step - last) * quota) / steps)
    last = step
  }
  return {
    waitMs(nowMs) {
      refill(nowMs)
      return tokens >= 1 ? 0 : stepMs - (nowMs % stepMs)
    },
    take: () => void tokens--,
    remaining: () => Math.floor(tokens),
    resetMs: () => 0,
  }
}

describe.each(traffics)('%o', (traffic) => {
  const { quota } = traffic

  test.each(limiterKindNames)('%s is explained', (kind) => {
    expect(faultsIn(drive(create(kind, quota), traffic), quota)).toEqual({ tooHigh: [], early: [] })
  })

  test.each([2, 3, 4, 5, 6, 10, 60])('a bucket that refills in %d steps is explained', (steps) => {
    expect(faultsIn(drive(createSteps(quota, steps), traffic), quota)).toEqual({ tooHigh: [], early: [] })
  })
})

const busy: Traffic = { quota: 500, clients: 7, wayMs: 30, pauseMs: 60, others: 0, seed: 3 }

test.each(limiterKindNames)('%s whose r never falls is found', (kind) => {
  const unlimited = { ...create(kind, 1_000_000), remaining: () => 499 }
  expect(faultsIn(drive(unlimited, busy), 500).tooHigh).not.toEqual([])
})

test.each(limiterKindNames)('%s that counts to 0 and then still serves is found', (kind) => {
  const shown = create(kind, 500)
  const generous: RateWindow = {
    ...shown,
    waitMs: () => 0,
    take: (nowMs) => (shown.waitMs(nowMs) === 0 ? shown.take(nowMs) : undefined),
  }
  expect(faultsIn(drive(generous, busy), 500).tooHigh).not.toEqual([])
})

test('a request that is refused though much is left is found, one that others may explain is not', () => {
  const answered = drive(create('fixed-window', 500), { ...busy, clients: 3, pauseMs: 2_000 })
  const early = answered.map((one, n) => (n === 40 ? { ...one, isServed: false } : one))
  expect(faultsIn(early, 500).early).toEqual([answered[40]?.receivedMs])
  const byOthers = answered.map((one, n) => (n === 40 ? { ...one, isServed: false, left: 0 } : one))
  expect(faultsIn(byOthers, 500).early).toEqual([])
})

test('a request is not refused early if those under way may have used up what was left', () => {
  const at = (sentMs: number, receivedMs: number, left: number, isServed = true) => ({
    sentMs,
    receivedMs,
    left,
    isServed,
  })
  const last = at(0, 10, 2)
  const late = at(5_000, 5_010, 1)
  expect(faultsIn([last, at(20, 30, 1, false), late], 500).early).toEqual([30])
  expect(faultsIn([last, at(20, 30, 1, false), at(25, 40, 1), late], 500).early).toEqual([30])
  expect(faultsIn([last, at(20, 30, 1, false), at(25, 40, 1), at(15, 41, 1), late], 500).early).toEqual([])
  expect(faultsIn([last, at(20, 30, 1, false)], 500).early).toEqual([])
})
