import { expect, test } from 'vitest'
import { createOperationLimiter } from '../../reference/limits/operation-limiter.ts'
import type { PodPlan } from '../plan/types.ts'
import type { LoadAnswer } from '../testing/open-loop.ts'
import { drivePods } from '../testing/pods.ts'
import { createVirtualTarget } from '../testing/targets.ts'
import { analyse } from './analyse.ts'

const plan: PodPlan = {
  plane: 'pods',
  shape: 'pod-429',
  requests: 8,
  probes: 2,
  earlyShare: 0,
  longestWaitMs: 60_000,
  action: null,
}

/** A quota of five in ten seconds, and whatever `change` makes of its responses. */
async function judged(change: (answer: LoadAnswer, seconds: number, nowMs: number) => LoadAnswer, drive = plan) {
  const limiter = createOperationLimiter({ rate: { requests: 5, windowSeconds: 10, concurrent: null } })
  const { clock, now, close } = createVirtualTarget({})
  const send = async () => {
    const admission = limiter.admit(now())
    const rate = { rateLimit: `"minute";r=${admission.admitted ? 1 : 0};t=9`, rateLimitPolicy: '"minute";q=5;w=10' }
    if (admission.admitted) return change({ status: 200, retryAfter: null, ...rate }, 0, now())
    const seconds = Math.ceil(admission.retryAfterMs / 1000)
    return change({ status: 429, retryAfter: String(seconds), ...rate }, seconds, now())
  }
  const points = await drivePods({ plan: drive, send, clock, now })
  close()
  return analyse(points, drive).map(({ rule, verdict, sentence }) => `${rule} ${verdict}: ${sentence}`)
}

const refusal = (change: (seconds: number, nowMs: number) => Partial<LoadAnswer>) => {
  return (answer: LoadAnswer, seconds: number, nowMs: number): LoadAnswer =>
    answer.status === 429 ? { ...answer, ...change(seconds, nowMs) } : answer
}

test.each([
  [
    'as documented',
    refusal(() => ({})),
    /after passed: each 429 \(1 seen, of 1 operation\) carries Retry-After in whole seconds$/,
    /honest passed: a request 5,000 ms after/,
  ],
  [
    'a date',
    refusal((seconds, nowMs) => ({ retryAfter: new Date(nowMs + seconds * 1000).toUTCString() })),
    /after failed: Retry-After was "Fri, 02 Jan 2026 .* GMT", not whole seconds$/,
    /honest inconclusive: Retry-After was ".*", so nothing says how long to wait$/,
  ],
  [
    'a fraction',
    refusal((s) => ({ retryAfter: `${s}.0` })),
    /after failed: Retry-After was "5.0"/,
    /honest inconclusive/,
  ],
  [
    'nothing',
    refusal(() => ({ retryAfter: null })),
    /after failed: a 429 of listPods came without Retry-After$/,
    /inconclusive/,
  ],
  [
    'too short',
    refusal((seconds) => ({ retryAfter: String(seconds - 3) })),
    /after passed/,
    /honest failed: a request 2,000 ms after the 429 was refused, though Retry-After said 2 s$/,
  ],
  [
    'too short, and a second window is used up',
    refusal((seconds) => ({ retryAfter: String(seconds - 3), rateLimit: '"minute";r=0;t=5, "hour";r=0;t=300' })),
    /after passed/,
    /honest inconclusive: more than one window was used up/,
  ],
  [
    'too short, and a second window is used up that does not say until when',
    refusal((seconds) => ({ retryAfter: String(seconds - 3), rateLimit: '"minute";r=0;t=5, "hour";r=0' })),
    /after passed/,
    /honest inconclusive: more than one window was used up/,
  ],
  [
    'no RateLimit on a 429',
    refusal(() => ({ rateLimit: null })),
    /after failed: a 429 of listPods came without RateLimit$/,
    /honest passed/,
  ],
  [
    'longer than is waited for',
    refusal(() => ({
      retryAfter: '3600',
      rateLimit: '"minute";r=1;t=5, "hour";r=0;t=3600',
      rateLimitPolicy: '"minute";q=5;w=10, "hour";q=5;w=3600',
    })),
    /after passed/,
    /inconclusive: nothing was sent/,
  ],
  [
    'milliseconds',
    refusal((seconds) => ({ retryAfter: String(seconds * 1000) })),
    /after failed: Retry-After was 5000, where the window that is used up takes 10 s$/,
    /inconclusive: nothing was sent/,
  ],
  [
    'longer than a window whose length is not told',
    refusal(() => ({ retryAfter: '3600', rateLimitPolicy: '"other";q=5;w=10' })),
    /after passed/,
    /inconclusive: nothing was sent/,
  ],
  ['never', (answer: LoadAnswer) => ({ ...answer, status: 200 }), /inconclusive: none of 8/, /inconclusive: none of 8/],
] as const)('Retry-After: %s', async (_, change, form, honesty) => {
  const told = await judged(change)
  expect(told[1]).toMatch(form)
  expect(told[2]).toMatch(honesty)
})

const early: PodPlan = { ...plan, earlyShare: 0.25 }
const named = (answer: LoadAnswer): LoadAnswer =>
  answer.status === 429 ? { ...answer, body: '{"detail":"rate limit exceeded for the minute window"}' } : answer

test.each<[string, (answer: LoadAnswer) => LoadAnswer, string[]]>([
  [
    'as documented',
    named,
    [
      'exceeded passed: after 5 requests came a 429 that names the window exceeded',
      'retry-after passed: each 429 (2 seen, of 1 operation) carries Retry-After in whole seconds',
      'retry-after-honest passed: a request 4,000 ms after the 429 was served, as Retry-After 4 says',
      'retry-after-needed passed: a request 1,250 ms after the 429 was refused, where Retry-After said 5 s',
    ],
  ],
  [
    'a body that names another window',
    (answer) => ({ ...named(answer), ...(answer.status === 429 && { body: 'the hour window is used up' }) }),
    [
      'exceeded failed: the body of a 429 does not name the window minute, which is used up: "the hour window is used up"',
    ],
  ],
  [
    'a body that names another window, where the one used up does not say until when',
    (answer) => ({
      ...answer,
      ...(answer.status === 429 && { body: 'the hour window is used up', rateLimit: '"minute";r=0' }),
    }),
    [
      'exceeded failed: the body of a 429 does not name the window minute, which is used up: "the hour window is used up"',
    ],
  ],
  [
    'a body that names none, where two windows are used up',
    (answer) => ({
      ...answer,
      ...(answer.status === 429 && { body: '', rateLimit: '"minute";r=0;t=9, "day";r=0;t=9' }),
    }),
    ['exceeded failed: the body of a 429 does not name any of the windows: ""'],
  ],
  ...['requests_per_minute', 'perMinuteQuota', 'MINUTE'].map(
    (name): [string, (answer: LoadAnswer) => LoadAnswer, string[]] => [
      `a body that calls the window ${name}`,
      (answer) => ({ ...answer, ...(answer.status === 429 && { body: `{"detail":"${name} exceeded"}` }) }),
      ['exceeded passed: after 5 requests came a 429 that names the window exceeded'],
    ],
  ),
  [
    'a body that names a day in another word',
    (answer) => ({
      ...answer,
      ...(answer.status === 429 && { body: 'not today', rateLimit: '"day";r=0;t=9' }),
    }),
    ['exceeded failed: the body of a 429 does not name the window day, which is used up: "not today"'],
  ],
  [
    'a wait of a second',
    (answer) => ({ ...named(answer), ...(answer.status === 429 && { retryAfter: '1' }) }),
    ['retry-after-needed passed: Retry-After was 1 s, the shortest wait in whole seconds'],
  ],
])('a request within the wait: %s', async (_, change, expected) => {
  expect(await judged(change, early)).toEqual(expect.arrayContaining(expected.map((line) => `limits.pods.${line}`)))
})

test('a refusal after the wait may be of another window, which refused requests used up', async () => {
  let refused = 0
  const full = refusal(() =>
    refused++ === 0 ? { retryAfter: '2' } : { rateLimit: '"minute";r=1;t=9, "hour";r=0;t=300' },
  )
  expect(await judged(full)).toContainEqual(
    'limits.pods.retry-after-honest inconclusive: more than one window was used up, and Retry-After may be of one',
  )
})

test('refused requests about the pod that count lengthen the wait', async () => {
  let refused = 0
  const counting = refusal((seconds) => ({ retryAfter: refused++ === 0 ? '1' : String(seconds) }))
  expect(await judged(counting, { ...early, action: 'stop' })).toEqual(
    expect.arrayContaining([
      'limits.pods.retry-after-honest passed: a request 4,000 ms after the 429 was served, as Retry-After 4 says',
      'limits.pods.retry-after-needed passed: a request 1,250 ms after the 429 was refused, where Retry-After said 5 s',
    ]),
  )
})

test('a wait that is not needed, and a quota that is none, are found', async () => {
  let sent = 0
  const once = (answer: LoadAnswer): LoadAnswer => (sent++ === 5 ? named(answer) : { ...answer, status: 200 })
  const told = await judged(once, { ...early, requests: 6 })
  expect(told).toContainEqual(
    'limits.pods.retry-after-needed failed: a request 1,250 ms after the 429 was served, though Retry-After said 5 s',
  )
  const endless = await judged((answer) => ({ ...answer, status: 200 }), { ...early, requests: 12 })
  expect(endless[0]).toBe(
    'limits.pods.exceeded failed: 12 pod requests were served within 10 s, where the window minute (q=5, w=10) explains at most 10',
  )
})

test.each([
  [(answer: LoadAnswer) => answer, 'passed: all 4 successes carry RateLimit and RateLimit-Policy'],
  [
    (answer: LoadAnswer) => ({ ...answer, rateLimitPolicy: null }),
    'failed: a pod request was answered 200 without RateLimit-Policy',
  ],
  [() => ({ status: 401 }), 'inconclusive: only 0 of 4 pod requests were served with their headers recorded'],
] as const)('headers on successes, %#', async (change, expected) => {
  const headers: PodPlan = { ...plan, shape: 'pod-headers', requests: 4 }
  expect(await judged(change, headers)).toEqual([`limits.pods.headers-on-success ${expected}`])
})
