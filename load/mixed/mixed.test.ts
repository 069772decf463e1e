import { describe, expect, test } from 'vitest'
import { mixedCount } from '../plan/types.ts'
import type { Point } from '../points.ts'
import { unfinishedIn } from '../scripts/lib/unfinished.ts'
import { mixedSmoke, mixedStep, refuseUnserved } from './plan.ts'
import { sessionsOf } from './sessions.ts'
import { divideIntoWindows, windowOf } from './windows.ts'

function point(operation: string, sentMs: number, more: Partial<Point> = {}): Point {
  return { operation, sentMs, receivedMs: sentMs + 20, status: 200, kind: 'answer', ...more }
}

describe('sessions', () => {
  test.each([
    [
      { run: 2, status: 3, cancel: 1 },
      [
        ['run', 'status'],
        ['run', 'status', 'status', 'cancel'],
      ],
    ],
    [{ run: 1, cancel: 1, stream: 1, health: 1 }, [['run', 'cancel', 'stream'], ['health']]],
    [{ createPod: 1, getPod: 2 }, [['createPod', 'getPod', 'getPod', 'deletePod']]],
    [{ health: 2, listPods: 1 }, [['health'], ['listPods'], ['health']]],
  ])('of %j', (mix, sessions) => expect(sessionsOf(mix)).toEqual(sessions))

  test('every operation has its proportion, and each stream follows a cancel', () => {
    const sessions = sessionsOf({ run: 7, status: 31, cancel: 5, stream: 3 })
    const count = (name: string) => sessions.flat().filter((one) => one === name).length
    expect(['run', 'status', 'cancel', 'stream'].map(count)).toEqual([7, 31, 5, 3])
    expect(sessions.filter((one) => one.includes('stream') && !one.includes('cancel'))).toEqual([])
  })
})

describe('the pace', () => {
  const facts = { kind: 'mixed', forMs: 85_000, leadMs: 15_000, requestsPerSecond: 20 } as const
  const stated = (rateLimit: string, rateLimitPolicy: string) => [point('listPods', 0, { rateLimit, rateLimitPolicy })]
  test.each([
    ['as stated', { run: 1, status: 3 }, {}, 2000],
    ['half of the limit of cancel', { run: 1, cancel: 1 }, {}, 1000],
    ['half of the limit of requests', { requests: 1 }, {}, 50],
    ['the same in shorter windows', { requests: 1 }, { windowScale: 0.1 }, 500],
    ['half of a quota of pods that is not stated', { listPods: 1 }, {}, 50],
    ['half of the quota of the target file', { listPods: 1 }, { requestsPerMinute: 120 }, 100],
    [
      'half of what a window has left',
      { listPods: 1, health: 1 },
      { smoke: stated('"minute";r=30;t=60', '"minute";q=60;w=60') },
      50,
    ],
    [
      'half of what a longer window has left',
      { listPods: 1 },
      { smoke: stated('"day";r=40;t=60', '"day";q=50000;w=86400') },
      20,
    ],
  ])('is %s', (_, mix, pace, requests) => {
    const all = { windowScale: 1, requestsPerMinute: null, smoke: [], ...pace }
    const { plan } = mixedStep({ ...facts, mix }, all)
    expect(mixedCount(plan)).toBe(requests)
    expect(plan.count * plan.spacingMs).toBeCloseTo(100_000)
  })

  test('an operation that is not served ends the load before it begins', () => {
    const smoke = mixedSmoke({ ...facts, mix: { run: 5, health: 2 } })
    expect(smoke.plan.sessions).toEqual([['run'], ['health']])
    const points = [point('run', 0), point('health', 1)]
    expect(() => refuseUnserved(smoke, points)).not.toThrow()
    // A worker may have ended the job.
    const cancels = mixedSmoke({ ...facts, mix: { run: 1, cancel: 1 } })
    expect(() => refuseUnserved(cancels, [point('run', 0), point('cancel', 1, { status: 409 })])).not.toThrow()
    expect(() => refuseUnserved(smoke, [point('run', 0), point('health', 1, { status: 404 })])).toThrow(
      /^One request of health was answered 404 before any load; check queue\.paths .* leave health out of load\.mixed\.$/,
    )
  })
})

describe('the unfinished jobs or pods in a response', () => {
  const finalStatuses = ['COMPLETED', 'TERMINATED']
  const [waiting, over] = [{ status: 'IN_QUEUE' }, { status: 'COMPLETED' }]
  test.each([
    ['counts', { counts: ['jobs.a', 'b'] }, { jobs: { a: 2 }, b: 3 }, 5],
    ['no count', { counts: ['jobs.a', 'b'] }, { b: 3 }, Number.NaN],
    ['a list', { listAt: '', finalStatuses }, [waiting, null, over], 2],
    ['entries of a list', { listAt: 'edges.*.node', finalStatuses }, { edges: [{ node: waiting }, { node: over }] }, 1],
    ['a list in the named member', { listAt: 'pods', finalStatuses }, { notices: [1], pods: [waiting, over] }, 1],
    ['the only list, in another member', { listAt: 'pods', finalStatuses }, { items: [waiting, over] }, 1],
    ['the only list, which is the response', { listAt: 'pods', finalStatuses }, [waiting, over], 1],
    ['two lists, none in the named member', { listAt: 'pods', finalStatuses }, { a: [], b: [] }, Number.NaN],
    ['a list of texts alone', { listAt: 'pods', finalStatuses }, { warnings: ['old'] }, Number.NaN],
    ['a list beside an object', { listAt: 'pods', finalStatuses }, { data: { pods: [] }, more: [] }, Number.NaN],
    ['a list with pods of others', { listAt: '', finalStatuses, name: 'a' }, [{ ...waiting, name: 'a' }, waiting], 1],
    ['no list', { listAt: 'pods', finalStatuses }, { pods: 1 }, Number.NaN],
    ['the only list, wherever it is', { finalStatuses }, { count: 1, jobs: [over] }, 0],
    ['two lists without a name', { finalStatuses }, { jobs: [over], more: [waiting] }, Number.NaN],
    ['no body', { finalStatuses }, null, Number.NaN],
  ])('%s', (_, place, json, count) => expect(unfinishedIn(json, place)).toBe(count))
})

describe('windows', () => {
  test('begin after the lead, and have the requests that were sent in them', () => {
    const points = [0, 900, 1000, 1400, 1500, 1999, 2000].map((ms) => point('run', ms))
    const { operations, fromMs, lengthMs } = divideIntoWindows(
      points,
      { forMs: 1000, leadMs: 1000, mix: { run: 1, health: 1 } },
      2,
    )
    expect({ fromMs, lengthMs }).toEqual({ fromMs: 1000, lengthMs: 500 })
    expect(operations.run?.map(({ requests }) => requests)).toEqual([2, 2])
    // It was never sent.
    expect(operations.health?.map(({ requests }) => requests)).toEqual([0, 0])
  })

  test('have latencies of successes, shares of errors and 429, and the mean of the counts', () => {
    const failures = [point('run', 0, { status: 429 }), point('run', 0, { status: 0, kind: 'transport' })]
    const late = [point('cancel', 0, { status: 409 })]
    expect(windowOf(late)).toMatchObject({ errors: 0, latency: null })
    const counted = [1, 3].map((unfinished) => point('run', 0, { unfinished }))
    expect(windowOf([...failures, ...counted])).toEqual({
      requests: 4,
      latency: { p50: 20, p95: 20, p99: 20 },
      errors: 0.25,
      limited: 0.25,
      unfinished: 2,
    })
    expect(windowOf([])).toEqual({ requests: 0, latency: null, errors: 0, limited: 0, unfinished: null })
  })
})
