import { describe, expect, test } from 'vitest'
import { queuePlan } from '../plan/queue-plan.ts'
import type { QueueShape } from '../plan/types.ts'
import type { Point } from '../points.ts'
import { analyse, rulingOf } from './analyse.ts'
import { findOverflow } from './generous.ts'

const workers = { running: 0, requestsPerWindow: 0 }
const plan = (shape: QueueShape) => queuePlan({ operation: 'cancel', shape, workers })

const point = (sentMs: number, status = 200, takesMs = 20): Point => ({
  operation: 'cancel',
  sentMs,
  receivedMs: sentMs + takesMs,
  status,
  kind: status === 0 ? 'transport' : 'answer',
})

/** A request each `spacingMs`, its status by its number. */
const row = (count: number, spacingMs: number, statusOf: (n: number) => number = () => 200) =>
  Array.from({ length: count }, (_, n) => point(n * spacingMs, statusOf(n)))

const told = (points: readonly Point[], shape: QueueShape) =>
  analyse(points, plan(shape)).map(({ verdict, sentence }) => `${verdict}: ${sentence}`)

describe('a plan that was not reached', () => {
  test.each([
    ['nothing was recorded', [], 'inconclusive: no request was recorded'],
    ['requests are missing', row(300, 125), 'inconclusive: only 300 of 320 planned requests were sent'],
    ['one or two are missing', row(318, 125), 'passed: cancel gave 318 evenly paced requests no 429'],
    [
      'the key is wrong',
      row(320, 125, () => 401),
      'inconclusive: 320 of 320 requests were neither served nor refused: 0 without a response, 320 with status 401',
    ],
    [
      'nobody answers',
      row(320, 125, () => 0),
      'inconclusive: 320 of 320 requests were neither served nor refused: 320 without a response',
    ],
    ['sending was slow', row(320, 160), 'inconclusive: sending took 51040 ms, where 39875 ms were planned'],
    ['two answers failed', row(320, 125, (n) => (n < 2 ? 0 : 200)), /^passed/],
    ['four answers failed', row(320, 125, (n) => (n < 4 ? 500 : 200)), /^inconclusive: 4 of 320/],
  ])('%s', (_, points, expected) => {
    expect(told(points, 'under')).toEqual([typeof expected === 'string' ? expected : expect.stringMatching(expected)])
  })

  test('what failed stays failed', () => {
    expect(
      told(
        row(40, 125, (n) => (n === 30 ? 429 : 200)),
        'under',
      ),
    ).toEqual([
      'failed: cancel answered 429 at 3,750 ms with at most 30 requests counted in the 10,000 ms before, where 100 are permitted (1 of 40 refused)',
    ])
  })
})

describe('doubts speak for the target', () => {
  test('transport failures are never 429s, and may have been counted', () => {
    const points = row(320, 125, (n) => (n < 3 ? 0 : 200))
    expect(told(points, 'under')).toEqual(['passed: cancel gave 320 evenly paced requests no 429'])
    const lost = Array.from({ length: 100 }, () => point(9000, 0))
    const refused = told([...row(72, 125), ...lost, point(9500, 429)], 'under')
    expect(refused).toEqual([expect.stringMatching(/^inconclusive: .* a limiter may be right$/)])
  })

  test('requests that were bunched by the client explain a 429', () => {
    const bunched = [...row(80, 125), ...Array.from({ length: 8 }, () => point(10_000)), point(10_001, 429)]
    expect(told(bunched, 'under')).toEqual([expect.stringMatching(/^inconclusive/)])
  })

  test('requests held for long explain a 429 by the limit at once', () => {
    const held = Array.from({ length: 22 }, (_, n) => point(n * 125, 200, 9000))
    expect(told([...held, point(4000, 429)], 'under')).toEqual([expect.stringMatching(/^inconclusive/)])
  })

  test('a rate masked by the limit at once was not tried', () => {
    const points = Array.from({ length: 600 }, (_, n) => point(n * 66.7, n < 20 ? 200 : 429, n < 20 ? 60_000 : 5))
    expect(told(points, 'over')[0]).toMatch(/^inconclusive: every 429 .* so its rate was never tried$/)
  })

  test('requests whose job had ended may not have been counted', () => {
    const shaped = (ended: number) => row(600, 66.6, (n) => (n % 150 >= 100 ? 429 : n % ended === 0 ? 409 : 200))
    expect(told(shaped(2), 'over')).toEqual([expect.stringMatching(/^passed/), expect.stringMatching(/^passed/)])
    const generous = row(600, 66.6, (n) => (n % 150 >= 140 ? 429 : n % 2 === 0 ? 409 : 200))
    expect(told(generous, 'over')[0]).toMatch(
      /^inconclusive: cancel let in .*; requests for jobs that had ended may not count towards the limit$/,
    )
    const paced = (ended: number) =>
      told(
        row(320, 125, (n) => (n % ended === 0 ? 409 : 200)),
        'under',
      )
    expect(paced(10)).toEqual(['passed: cancel gave 320 evenly paced requests no 429'])
    expect(paced(2)).toEqual([
      'inconclusive: 160 of 320 evenly paced requests of cancel were for jobs that had ended, and may not count towards the limit',
    ])
  })

  test('few errors beside 429s, and those at the wrong moments or without end may be an outage', () => {
    const over = (statusOf: (n: number) => number) => told(row(600, 66.6, statusOf), 'over')[1]
    const beside = (error: (n: number) => boolean) => over((n) => (n % 150 < 100 ? 200 : error(n) ? 503 : 429))
    expect(beside((n) => n % 10 === 0)).toMatch(/^inconclusive: .* beside 180 429s; that may be an outage/)
    expect(beside((n) => n < 150)).toMatch(/^inconclusive: .* beside 150 429s; that may be an outage/)
    expect(beside((n) => n % 2 === 0)).toMatch(/^failed: cancel gave 100 of 600 requests 503, .* beside 100 429s, from/)
    expect(over((n) => (n % 3 === 1 ? 503 : 200))).toMatch(/^inconclusive: .* may be an outage as well as a limit$/)
    expect(over((n) => (n < 200 ? 200 : 503))).toMatch(/^inconclusive: .* may be an outage as well as a limit$/)
    expect(over((n) => (n % 150 < 100 ? 200 : 503))).toMatch(/^failed: cancel gave 200 of 600 requests 503/)
  })

  test('requests that were opened slowly and held for long were at once all the same', () => {
    const { holdMs } = plan('concurrency')
    const points = Array.from({ length: 22 }, (_, n) => point(n * 500, n < 20 ? 200 : 429, n < 20 ? holdMs : 5))
    expect(told(points, 'concurrency')).toEqual([
      'passed: cancel served up to 20 requests at once and refused 2 beyond 20',
    ])
  })

  test('held requests whose ways are as long as their hold were not at once for certain', () => {
    const { holdMs } = plan('concurrency')
    const points = Array.from({ length: 22 }, (_, n) => point(n * 125, 200, n === 0 ? holdMs : 2 * holdMs))
    expect(told(points, 'concurrency')).toEqual([expect.stringMatching(/^inconclusive: .* not enough to judge$/)])
  })
})

describe('the most that any counting explains', () => {
  const burst = (atMs: number, count: number) => Array.from({ length: count }, () => point(atMs, 200, 0))
  test.each([
    ['twice the limit around one boundary', [...burst(9999, 100), ...burst(10_001, 100)], null],
    ['one more than that', [...burst(9999, 101), ...burst(10_001, 100)], { served: 201, allowed: 200 }],
    ['three windows in just over one', [...burst(0, 100), ...burst(5000, 100), ...burst(9980, 1)], { served: 201 }],
    [
      'three windows in just over one, a little later',
      [...burst(0, 100), ...burst(5000, 100), ...burst(9995, 1)],
      null,
    ],
    ['answers that came late', burst(0, 201).map((one) => ({ ...one, receivedMs: 10_500 })), null],
    ['the limit for a hundred windows', row(10_000, 100), null],
    ['one in thirty more, for a hundred windows', row(10_333, 96.7), { allowed: expect.any(Number) }],
  ])('%s', (_, points, expected) => {
    const found = findOverflow(points, 100, 10_000)
    if (expected === null) expect(found).toBe(null)
    else expect(found).toMatchObject(expected)
  })
})

test('a rate passes only where it was driven below and beyond the limit', () => {
  const under = analyse(row(320, 125), plan('under'))
  const over = analyse(
    row(600, 66.6, (n) => (n % 150 < 100 ? 200 : 429)),
    plan('over'),
  )
  const ofRate = (verdicts: ReturnType<typeof analyse>) =>
    rulingOf(verdicts.filter(({ rule }) => rule === 'limits.queue.cancel'))
  expect(ofRate(under)).toEqual({ verdict: 'inconclusive', sentence: 'the shape over was not driven' })
  expect(ofRate([...under, ...over])).toMatchObject({ verdict: 'passed' })
  expect(ofRate([])).toBe(null)
  const strict = analyse(
    row(320, 125, (n) => (n === 30 ? 429 : 200)),
    plan('under'),
  )
  expect(ofRate([...over, ...strict])).toMatchObject({ verdict: 'failed' })
})
