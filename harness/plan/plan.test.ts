import { expect, test } from 'vitest'
import { planRun } from './plan.ts'
import { planLines } from './text.ts'
import type { PlanResources, PlanRule } from './types.ts'

const free: PlanResources = {
  scenarios: 16,
  workers: 3,
  creates: 3,
  quotas: [],
  longestMs: 180_000,
  overhead: { requests: 0, pods: 0 },
  aroundMs: 0,
}
const minute = { name: 'minute', quota: 60, lengthMs: 60_000, remaining: 0 }
const hour = { name: 'hour', quota: 100, lengthMs: 3_600_000, remaining: 40 }

function rule(name: string, seconds: number, more: Partial<PlanRule> & Partial<PlanRule['occupancy']> = {}): PlanRule {
  const {
    alone = false,
    sharesQuota = true,
    exclusive = [],
    shared = [],
    wakes = [],
    workers = 0,
    creates = 0,
    ...rest
  } = more
  return {
    rule: name,
    isMust: true,
    rank: Number.POSITIVE_INFINITY,
    needsWorker: false,
    requests: 1,
    pods: 0,
    jobs: 0,
    podMs: 0,
    waitMs: seconds * 1000,
    ms: seconds * 1000,
    workerMs: seconds * 1000,
    occupancy: { alone, sharesQuota, exclusive, shared, wakes, workers, creates },
    ...rest,
  }
}

interface Planned {
  readonly rules: readonly PlanRule[]
  readonly resources?: Partial<PlanResources>
  readonly budgetS?: number
  readonly seconds: number
  readonly leftOut?: readonly string[]
}

const plans: Readonly<Record<string, Planned>> = {
  'nothing takes no time': { seconds: 0, rules: [] },
  'waits overlap: the longest decides': { seconds: 60, rules: [rule('a', 10), rule('b', 60), rule('c', 30)] },
  'no more beside each other than allowed': {
    seconds: 20,
    rules: [rule('a', 10), rule('b', 10), rule('c', 10)],
    resources: { scenarios: 2 },
  },
  'rules that are alone come after the others, one by one': {
    seconds: 20,
    rules: [rule('a', 10), rule('b', 5, { alone: true }), rule('c', 5, { alone: true })],
  },
  'one endpoint, one rule at a time': {
    seconds: 20,
    rules: [rule('a', 10, { exclusive: ['d'] }), rule('b', 10, { exclusive: ['d'] }), rule('c', 15)],
  },
  'short rules that want an endpoint to themselves come before long ones that share it': {
    seconds: 615,
    rules: [
      rule('a', 10, { exclusive: ['z'] }),
      rule('b', 5, { exclusive: ['z'] }),
      rule('c', 600, { shared: ['z'] }),
      rule('d', 60, { shared: ['z'] }),
    ],
  },
  'no more jobs than workers': {
    seconds: 30,
    rules: [1, 2, 3, 4, 5, 6, 7].map((n) => rule(`r${n}`, 10, { workers: 1 })),
  },
  'a rule that wants more workers than there are runs by itself': {
    seconds: 20,
    rules: [rule('a', 10, { workers: 9 }), rule('b', 10, { workers: 1 })],
  },
  'a quota decides where it is less than the waits need': {
    seconds: 120,
    rules: [rule('a', 10, { requests: 120 })],
    resources: { quotas: [minute] },
  },
  'what a window has left at the beginning takes no time': {
    seconds: 60,
    rules: [rule('a', 10, { requests: 120 })],
    resources: {
      quotas: [
        { ...minute, remaining: 60 },
        { ...minute, name: 'other', quota: 600 },
      ],
    },
  },
  'only requests to the pod API are counted, those beside the rules too': {
    seconds: 68,
    rules: [rule('a', 10, { requests: 60 }), rule('b', 10, { requests: 900, sharesQuota: false })],
    resources: { quotas: [minute], overhead: { requests: 8, pods: 0 } },
  },
  'a window that is not waited out leaves out what it has no requests for': {
    seconds: 10,
    rules: [rule('a', 10, { requests: 30 }), rule('b', 10, { requests: 30 }), rule('c', 10, { requests: 5 })],
    resources: { quotas: [hour] },
    leftOut: ['a'],
  },
  'workers are free once a rule needs them no more': {
    seconds: 52,
    rules: ['a', 'b', 'c'].map((name) => rule(name, 50, { workers: 3, workerMs: 1_000 })),
  },
  'rules that need no worker begin before those that do': {
    seconds: 52,
    rules: [rule('a', 50, { workers: 3, needsWorker: true }), rule('b', 2, { workers: 3 })],
  },
  'a wait beyond the budget is left out': {
    seconds: 10,
    rules: [rule('a', 10), rule('b', 60)],
    budgetS: 20,
    leftOut: ['b'],
  },
  'a run begins and tidies up within its budget': {
    seconds: 13,
    rules: [rule('a', 10), rule('b', 13)],
    resources: { aroundMs: 3_000 },
    budgetS: 20,
    leftOut: ['b'],
  },
  'all fits': { seconds: 20, rules: [rule('a', 10), rule('b', 20)], budgetS: 26 },
  'what takes time around the rules is told': { seconds: 13, rules: [rule('a', 10)], resources: { aroundMs: 3_000 } },
  'what was given up in vain is taken back': {
    seconds: 20,
    rules: [rule('0', 10), ...['a', 'b', 'c'].map((name) => rule(name, 10, { exclusive: ['d'] }))],
    budgetS: 26,
    leftOut: ['a'],
  },
  'what should hold is taken back after what must': {
    seconds: 20,
    rules: [...['a', 'b', 'c'].map((name) => rule(name, 10, { alone: true, isMust: name !== 'a' }))],
    budgetS: 26,
    leftOut: ['a'],
  },
  'the longest of those that follow each other is left out': {
    seconds: 15,
    rules: [rule('a', 10, { alone: true }), rule('b', 15, { alone: true }), rule('c', 5)],
    budgetS: 26,
    leftOut: ['b'],
  },
  'what sends most is left out where the quota decides': {
    seconds: 30,
    rules: [rule('a', 1, { requests: 30 }), rule('b', 1, { requests: 50 })],
    resources: { quotas: [minute] },
    budgetS: 80,
    leftOut: ['b'],
  },
  'a budget of nothing leaves all out': { seconds: 0, rules: [rule('a', 1)], budgetS: 0, leftOut: ['a'] },
}

test.each(Object.entries(plans))('%s', (_, { rules, resources, budgetS, seconds, leftOut = [] }) => {
  const given = { ...free, ...resources }
  const budgetMs = budgetS === undefined ? null : budgetS * 1000
  const plan = planRun(rules, given, budgetMs)
  expect(plan.expectedMs).toBe(seconds * 1000)
  expect(plan.leftOut.map((one) => one.rule)).toEqual(leftOut)
  expect(planRun([...rules].reverse(), given, budgetMs)).toEqual(plan)
})

test('the critical path names who made room for whom', () => {
  const rules = [rule('first', 20), rule('second', 10, { alone: true }), rule('third', 5, { alone: true })]
  expect(planRun(rules, free, null).path).toEqual([
    { rule: 'first', fromMs: 0, freedMs: 20_000, toMs: 20_000 },
    { rule: 'second', fromMs: 20_000, freedMs: 30_000, toMs: 30_000 },
    { rule: 'third', fromMs: 30_000, freedMs: 35_000, toMs: 35_000 },
  ])
})

test('a plan says what it leaves out, and why', () => {
  const plan = planRun([rule('quick', 3), rule('slow', 90)], free, 20_000)
  expect(plan.leftOut).toEqual([{ rule: 'slow', reason: 'left out by the budget of 20s: it takes 1m35s by itself' }])
  expect(planLines(plan, 'listed')).toEqual([
    'planned: 1 rule with requests of its own, about 1 request, done in about 3s; a rule waits 3s at most (quick)',
    'left out, and so unverified: 1 rule (slow)',
  ])
})

test.each<[name: string, requests: number, window: Partial<typeof hour>, longestMs: number, line: RegExp | null]>([
  ['half of a window is no matter', 50, { remaining: 100 }, 0, null],
  [
    'more than half of it is',
    51,
    { remaining: 100 },
    0,
    /^window hour: 100 requests to the pod API in 1h, 100 left, of which the run needs about 51; to run again within 1h select/,
  ],
  [
    'so is more than half of what is left',
    31,
    { remaining: 60 },
    0,
    /, 60 left, .* about 31; to run again within 1h select/,
  ],
  [
    'a window may be waited for',
    80,
    { remaining: 60 },
    3_600_000,
    /about 80, so it waits for the next window; to avoid that/,
  ],
  ['a day is a long window too', 60, { name: 'day', lengthMs: 86_400_000, remaining: 100 }, 0, /^window day: .* in 1d/],
  ['a minute is not', 100, { lengthMs: 60_000 }, 60_000, null],
])('%s', (_, requests, window, longestMs, line) => {
  const plan = planRun([rule('a', 1, { requests })], { ...free, longestMs, quotas: [{ ...hour, ...window }] }, null)
  const lines = planLines(plan, 'listed').slice(1)
  expect(lines).toEqual(line === null ? [] : [expect.stringMatching(line)])
})

test('a plan says how many requests go to the pod API, and what a window has no requests for', () => {
  const rules = [
    rule('a', 1, { requests: 30 }),
    rule('b', 1, { requests: 90 }),
    rule('c', 1, { requests: 5, sharesQuota: false }),
  ]
  expect(planLines(planRun(rules, { ...free, quotas: [hour] }, null), 'listed')).toEqual([
    'planned: 2 rules with requests of their own, about 35 requests (30 to the pod API), done in about 1s; a rule waits 1s at most (a)',
    'window hour: 100 requests to the pod API in 1h, 40 left, of which the run needs about 30; 1 rule left out for it, to be run with --only in a later window',
    'left out, and so unverified: 1 rule (b)',
  ])
})

test('rules that fit by themselves are kept in reserve, the most important first', () => {
  const alone = { alone: true }
  const rules = [
    rule('kept', 5, alone),
    rule('should', 11, { ...alone, isMust: false, requests: 3 }),
    rule('must', 12, { ...alone, requests: 30 }),
    rule('longer', 13, alone),
    rule('never', 90, alone),
  ]
  const quotas = [
    { ...minute, remaining: 100 },
    { ...hour, remaining: 60 },
  ]
  const overhead = { requests: 3, pods: 0 }
  const plan = planRun(rules, { ...free, overhead, quotas }, 20_000)
  expect(plan.rules).toBe(1)
  expect(plan.reserve).toEqual({
    rules: [
      { rule: 'must', ms: 12_000, requests: 33 },
      { rule: 'longer', ms: 13_000, requests: 4 },
      { rule: 'should', ms: 11_000, requests: 6 },
    ],
    perMinute: 60,
    spareRequests: 50,
  })
  expect(planLines(plan, 'listed').slice(1)).toEqual([
    'left out, but run if time is left: 3 rules (longer, must, should)',
    'left out, and so unverified: 1 rule (never)',
  ])
})

test.each([
  [5, '5 rules (pods.0, queue.1, pods.2, queue.3, pods.4)'],
  [7, '7 rules (pods 4, queue 3); listed elsewhere'],
])('of %i rules that are left out a plan names a few, or counts the areas', (count, which) => {
  const ids = Array.from({ length: count }, (_, n) => `${n % 2 === 0 ? 'pods' : 'queue'}.${n}`)
  const leftOut = ids.map((id) => ({ rule: id, reason: 'left out by the budget of 20s: it takes 1m35s by itself' }))
  const plan = { ...planRun([rule('quick', 3)], free, 20_000), leftOut }
  expect(planLines(plan, 'listed elsewhere')[1]).toBe(`left out, and so unverified: ${which}`)
})

test('a plan says which window decides, and why a rule is left out for a quota', () => {
  const rules = [rule('few', 3, { requests: 30 }), rule('many', 3, { requests: 90 })]
  expect(planLines(planRun(rules, { ...free, quotas: [minute] }, null), 'listed')[0]).toMatch(
    /done in about 2m; the requests that the target grants decide \(window minute: 60 in 1m\)$/,
  )
  expect(planRun(rules, { ...free, quotas: [hour] }, null).leftOut).toEqual([
    {
      rule: 'many',
      reason: 'left out by the window hour: it has 40 of 100 requests left, and it ends too late to be waited for',
    },
  ])
})

test('what is left out costs nothing', () => {
  const priced = { pods: 1.5, podMs: 3_600_000, jobs: 0.4 }
  const { pods, podMs, jobs } = planRun([rule('quick', 3, priced), rule('slow', 90, priced)], free, 20_000)
  expect({ pods, podMs, jobs }).toEqual({ pods: 2, podMs: 3_600_000, jobs: 1 })
})
