import { expect, test } from 'vitest'
import { randomFrom } from '../harness/common/random.ts'
import { analyse } from './analyse/analyse.ts'
import { analyseByClocks } from './analyse/clocks.ts'
import { queuePlan } from './plan/queue-plan.ts'
import { createPointCollector, type Fate, merged, moved } from './point-columns.ts'

const beganMs = Date.UTC(2026, 0, 2)
const count = 110_000
const random = randomFrom(7, 'points')
const served: Fate = { operation: 'cancel', endpoint: 'first', status: 200, kind: 'answer' }
const refused: Fate = { ...served, status: 429 }
const silent: Fate = { ...served, status: 0, kind: 'transport' }

/** Points as responses end: a third is refused, and few never get a response. */
const many = Array.from({ length: count }, (_, n) => {
  const sentMs = beganMs + Math.floor(n / 2) * 0.5
  const fate = n % 10_000 === 0 ? silent : n % 3 === 2 ? refused : served
  return { fate, sentMs, receivedMs: sentMs + random() * 100 }
}).sort((a, b) => a.receivedMs - b.receivedMs)

function collect(timed: typeof many) {
  const collector = createPointCollector()
  for (const { fate, sentMs, receivedMs } of timed) collector.add(fate, sentMs, receivedMs)
  return collector.done()
}
const inOrder = many
  .map(({ fate, sentMs, receivedMs }) => ({ ...fate, sentMs, receivedMs }))
  .sort((a, b) => a.sentMs - b.sentMs)

test('many points are columns with the same values in the same order, and the same verdicts', () => {
  const points = collect(many)
  expect(Array.isArray(points)).toBe(false)
  expect([...points]).toEqual(inOrder)
  expect([points.at(0), points.at(-1)]).toEqual([inOrder.at(0), inOrder.at(-1)])
  expect(Array.isArray(moved(points, 0.7, -0.7))).toBe(false)
  expect([...moved(points, 0.7, -0.7)]).toEqual(moved(inOrder, 0.7, -0.7))
  const isRefused = ({ status }: { status: number }) => status === 429
  expect([...points.filter(isRefused).filter((one) => one.sentMs > beganMs + 9)]).toEqual(
    inOrder.filter((one) => isRefused(one) && one.sentMs > beganMs + 9),
  )
  for (const shape of ['under', 'over', 'recovery', 'released'] as const) {
    const plan = queuePlan({ operation: 'cancel', shape, workersAllow: 25_000 })
    expect(analyse(points, plan)).toEqual(analyse(inOrder, plan))
    expect(analyseByClocks(points, plan, 200.3)).toEqual(analyseByClocks(inOrder, plan, 200.3))
  }
})

test('points of several machines are merged in columns, those of one with few points as well', () => {
  const points = merged([collect(many.slice(0, 104_000)), collect(many.slice(104_000))])
  expect(Array.isArray(points)).toBe(false)
  expect([...points]).toEqual(inOrder)
})

test.each([
  ['moments that are hours apart', { fate: served, sentMs: beganMs + 7_200_000, receivedMs: beganMs + 7_200_001 }],
  ['counts of jobs', { fate: { ...served, unfinished: 3 }, sentMs: beganMs + 1, receivedMs: beganMs + 2 }],
  ['headers', { fate: { ...served, retryAfter: '3' }, sentMs: beganMs + 1, receivedMs: beganMs + 2 }],
])('many points with %s stay an array', (_, odd) => {
  const points = collect([...many, odd])
  expect(Array.isArray(points)).toBe(true)
  expect(points).toHaveLength(count + 1)
  expect([...points]).toContainEqual({ ...odd.fate, sentMs: odd.sentMs, receivedMs: odd.receivedMs })
})

test('more points than are sorted at once are in order, however far from it they came', () => {
  const collector = createPointCollector()
  const length = 1_200_000
  for (let n = length; n > 0; n--) collector.add(n % 2 === 0 ? served : refused, beganMs + n / 16, beganMs + n / 16 + 1)
  let n = 0
  let wrong = 0
  collector.done().forEach(({ sentMs, receivedMs, status }) => {
    n++
    const isRight = sentMs === beganMs + n / 16 && receivedMs === sentMs + 1 && (status === 200) === (n % 2 === 0)
    if (!isRight) wrong++
  })
  expect({ n, wrong }).toEqual({ n: length, wrong: 0 })
})

test('the only match among a million points is found from either end', () => {
  const collector = createPointCollector()
  for (let n = 0; n < 1_000_000; n++) collector.add(n === 0 ? refused : served, beganMs + n / 16, beganMs + n / 16 + 1)
  const points = collector.done().filter(({ status }) => status === 429)
  const only = { ...refused, sentMs: beganMs, receivedMs: beganMs + 1 }
  expect([points.length, points.at(0), points.at(-1)]).toEqual([1, only, only])
})
