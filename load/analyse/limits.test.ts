import { describe, expect, test } from 'vitest'
import type { RateOperation } from '../../generated/tables.ts'
import { limiterKindNames } from '../../reference/limits/windows.ts'
import { type QueuePlanOptions, queuePlan } from '../plan/queue-plan.ts'
import type { QueueShape } from '../plan/types.ts'
import { driveOpenLoop } from '../testing/open-loop.ts'
import { createVirtualTarget, type Defect, type TargetOptions } from '../testing/targets.ts'
import { analyse } from './analyse.ts'

const workers = { running: 0, requestsPerWindow: 0 }
const rates: readonly QueueShape[] = ['under', 'over', 'concurrency']
const shapes: readonly QueueShape[] = [...rates, 'recovery', 'isolation', 'keys']

async function verdicts(target: TargetOptions, options: QueuePlanOptions) {
  const plan = queuePlan({ workers, ...options })
  const { send, clock, now, close } = createVirtualTarget(target)
  const points = await driveOpenLoop({ plan, send, clock, now, patienceMs: 1000 })
  close()
  return analyse(points, plan)
}

describe.each(limiterKindNames)('a legal limiter, %s,', (kind) => {
  const cases: (readonly [RateOperation, number])[] = [
    ['run', 4999],
    ...[0, 1, 9876].flatMap((offsetMs) =>
      (['cancel', 'requests', 'purge'] as const).map((operation) => [operation, offsetMs] as const),
    ),
  ]
  test.each(cases)('passes as %s with its windows %i ms off', async (operation, offsetMs) => {
    // The others hardly depend on the rate; run would only make them slow.
    const plans: QueuePlanOptions[] = (operation === 'run' ? rates : shapes).map((shape) => ({ operation, shape }))
    if (operation === 'purge') plans.push({ operation, shape: 'isolation', neighbours: ['status'] })
    if (operation !== 'run') plans.push({ operation, shape: 'isolation', neighbours: ['requests', 'run'] })
    if (operation === 'cancel') plans.push({ operation, shape: 'released' })
    if (operation === 'purge') plans.push({ operation, shape: 'burst' })
    for (const options of plans) {
      for (const { shape, verdict, sentence } of await verdicts({ kind, offsetMs }, options)) {
        expect({ shape, verdict, sentence }).toEqual({ shape, verdict: 'passed', sentence })
      }
    }
  })

  test('is never failed by a burst that its limit at once stops as well', async () => {
    for (const operation of ['run', 'cancel', 'requests'] as const) {
      for (const { verdict } of await verdicts({ kind, offsetMs: 777 }, { operation, shape: 'burst' })) {
        expect(verdict).not.toBe('failed')
      }
    }
  })
})

test.each([3, 2500])('ways of up to %i ms there and back make no legal limiter fail', async (wayMs) => {
  for (const kind of limiterKindNames) {
    for (const operation of ['cancel', 'requests', 'purge'] as const) {
      for (const shape of [...shapes, 'burst', 'released'] as const) {
        const target = { kind, offsetMs: 777, wayMs }
        for (const { verdict, sentence } of await verdicts(target, { operation, shape })) {
          expect({ sentence, failed: verdict === 'failed' }).toEqual({ sentence, failed: false })
        }
      }
    }
  }
})

test.each(['fixed-window', 'first-request-window', 'sliding-log', 'sliding-counter'] as const)(
  'a %s that counts refused requests is never failed',
  async (kind) => {
    for (const operation of ['cancel', 'requests'] as const) {
      for (const shape of [...shapes, 'released'] as const) {
        const target = { kind, offsetMs: 777, countsRefused: true }
        for (const { verdict, sentence } of await verdicts(target, { operation, shape })) {
          expect({ sentence, failed: verdict === 'failed' }).toEqual({ sentence, failed: false })
        }
      }
    }
  },
)

const half = (number: number) => number / 2
const more = (number: number) => number + 1
const twice = (number: number) => number * 2
const none = () => 1_000_000

/** Each defect, the plan that shows it, the rule it breaks, and what proves it under each kind of counting. */
const defects: readonly (readonly [string, Defect, QueuePlanOptions, string, RegExp])[] = [
  [
    'no limit',
    { requests: none },
    { operation: 'cancel', shape: 'over' },
    'limits.queue.cancel',
    /^cancel served 600 requests between 0 ms and 39,988 ms, where 100 each 10,000 ms explain at most 500$/,
  ],
  [
    'no limit, in a burst',
    { requests: none },
    { operation: 'purge', shape: 'burst' },
    'limits.queue.purge',
    /^purge served 6 requests between 0 ms and 9,988 ms, where 2 each 10,000 ms explain at most 4$/,
  ],
  ...(['cancel', 'requests'] as const).map((operation): (typeof defects)[number] => [
    `a limit of ${operation} for each key`,
    { keyOf: (...parts) => parts.join(' ') },
    { operation, shape: 'keys' },
    'limits.queue.shared-by-keys',
    /^with two keys, (cancel|requests) served \d+ requests between 0 ms and [\d,]+ ms, where 100? each 10,000 ms explain at most \d+$/,
  ]),
  [
    'half the limit',
    { requests: half },
    { operation: 'cancel', shape: 'under' },
    'limits.queue.cancel',
    /^cancel answered 429 at [\d,]+ ms with at most \d{2} requests counted in the 10,000 ms before, where 100 are permitted/,
  ],
  [
    'double the limit',
    { requests: twice },
    { operation: 'requests', shape: 'over' },
    'limits.queue.requests',
    /^requests served \d+ requests between 0 ms and [\d,]+ ms, where 10 each 10,000 ms explain at most \d+$/,
  ],
  [
    'one limiter for all operations',
    { keyOf: (endpoint) => endpoint, requests: () => 100 },
    { operation: 'cancel', shape: 'isolation', neighbours: ['requests', 'run'] },
    'limits.queue.per-operation',
    /^while \d+ requests of cancel were refused, on the same endpoint requests answered 429 at [\d,]+ ms with at most \d+ /,
  ],
  [
    'one limiter for all endpoints',
    { keyOf: (_, operation) => operation },
    { operation: 'cancel', shape: 'isolation' },
    'limits.queue.per-endpoint',
    /^while \d+ requests of cancel were refused, on another endpoint cancel answered 429 at [\d,]+ ms with at most \d+ /,
  ],
  [
    '503 in place of 429',
    { refusal: 503 },
    { operation: 'cancel', shape: 'over' },
    'limits.queue.status-429',
    /^cancel gave \d+ of 600 requests 503, each of them beyond the limit, and no 429, from [\d,]+ ms on$/,
  ],
  [
    'silence in place of 429',
    { refusal: 0 },
    { operation: 'cancel', shape: 'over' },
    'limits.queue.status-429',
    /^cancel gave \d+ of 600 requests no response, each of them beyond the limit, and no 429, from [\d,]+ ms on$/,
  ],
  [
    'refused requests counted for ever',
    { countsRefusedForEver: true },
    { operation: 'cancel', shape: 'recovery' },
    'limits.queue.recovers',
    /^cancel still answered 429 after (11|22),\d00 ms without a request, where 10,000 ms are a window$/,
  ],
  ...(['failed', 'refused'] as const).map(
    (keepsOpen) =>
      [
        `${keepsOpen} requests that stay open`,
        { keepsOpen },
        { operation: 'cancel', shape: 'released' },
        'limits.queue.concurrency-released',
        /^cancel answered 429 at [\d,]+ ms with at most \d requests open, where 20 are permitted, after \d+ that failed/,
      ] as const,
  ),
  [
    'a tenth too few at once',
    { concurrent: (number) => (number * 9) / 10 },
    { operation: 'run', shape: 'concurrency' },
    'limits.queue.concurrent-run',
    /^run answered 429 at 3,238 ms with at most 180 requests open, where 200 are permitted$/,
  ],
  [
    'a tenth too many at once',
    { concurrent: (number) => (number * 11) / 10 },
    { operation: 'run', shape: 'concurrency' },
    'limits.queue.concurrent-run',
    /^run served 220 requests at once at 3,725 ms, where 200 are permitted$/,
  ],
]

test.each(defects)('%s is caught under every kind of counting', async (_, defect, options, rule, sentence) => {
  for (const kind of limiterKindNames) {
    const told = await verdicts({ kind, offsetMs: 777, ...defect }, options)
    const found = told.find((verdict) => verdict.rule === rule)
    expect(found).toMatchObject({ verdict: 'failed', sentence: expect.stringMatching(sentence) })
  }
})

test.each([
  ['fixed-window', 0],
  ['first-request-window', 0],
  ['sliding-log', 0],
  ['token-bucket', 0],
  ['gcra', 0],
  ['fixed-window', 40],
  ['sliding-log', 40],
] as const)('one more than a limit of two is caught: %s, ways of up to %i ms', async (kind, wayMs) => {
  const options = { operation: 'purge', shape: 'over' } as const
  const told = await verdicts({ kind, offsetMs: 777, wayMs, requests: more }, options)
  expect(told[0]).toMatchObject({ verdict: 'failed', sentence: expect.stringMatching(/^purge served 1\d requests/) })
})

test.each([
  ['fixed-window', 10],
  ['first-request-window', 10],
  ['sliding-log', 40],
  ['token-bucket', 10],
  ['gcra', 10],
] as const)('one more than a limit of ten is caught: %s, ways of up to %i ms', async (kind, wayMs) => {
  const options = { operation: 'requests', shape: 'over' } as const
  const told = await verdicts({ kind, offsetMs: 777, wayMs, requests: more }, options)
  expect(told[0]).toMatchObject({ verdict: 'failed', sentence: expect.stringMatching(/^requests served \d+ requests/) })
})

test('with an unknown number of workers nothing is too generous, and what is too strict still is', async () => {
  const over = await verdicts({ requests: twice }, { operation: 'cancel', shape: 'over', workers: 'unknown' })
  expect(over.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'inconclusive'])
  const held = { operation: 'run', shape: 'concurrency' } as const
  const crowded = await verdicts({ concurrent: (count) => count * 1.1 }, { ...held, workers: 'unknown' })
  expect(crowded).toMatchObject([{ verdict: 'inconclusive', sentence: expect.stringMatching(/may have raised/) }])
  const under = await verdicts({ requests: half }, { operation: 'cancel', shape: 'under', workers: 'unknown' })
  expect(under).toMatchObject([{ rule: 'limits.queue.cancel', verdict: 'failed' }])
})

test('workers raise the limit by the rate that the plan gives them', async () => {
  const options = { operation: 'cancel', shape: 'over' } as const
  const raised = { running: 4, requestsPerWindow: 50 }
  const twofold = await verdicts({ requests: twice }, { ...options, workers: raised, overShare: 3 })
  expect(twofold).toMatchObject([{ verdict: 'passed' }, { verdict: 'passed' }])
  const fourfold = await verdicts({ requests: none }, { ...options, workers: raised, overShare: 3 })
  expect(fourfold).toMatchObject([{ verdict: 'failed' }, { verdict: 'inconclusive' }])
})

test.each(defects.filter(([name]) => !name.startsWith('silence')))(
  '%s is caught over ways of up to 40 ms',
  async (...defect) => {
    const [, changes, options, rule] = defect
    for (const kind of limiterKindNames) {
      const told = await verdicts({ kind, offsetMs: 777, wayMs: 40, ...changes }, options)
      expect(told.find((verdict) => verdict.rule === rule)).toMatchObject({ verdict: 'failed' })
    }
  },
)
