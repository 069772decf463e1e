import { expect, test } from 'vitest'
import { createOperationLimiter } from '../../reference/limits/queue/operation-limiter.ts'
import type { LoadAnswer } from '../drivers/open-loop.ts'
import { drivePods } from '../drivers/pods.ts'
import type { PodPlan } from '../plan/types.ts'
import { createVirtualTarget } from '../testing/targets.ts'
import { analyse } from './analyse.ts'

const plan: PodPlan = { plane: 'pods', shape: 'pod-429', requests: 8, probes: 2, longestWaitMs: 60_000 }

/** A quota of five in ten seconds, and whatever `change` makes of its answers. */
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
    /after passed: each 429 \(1 seen\) carries Retry-After in whole seconds$/,
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
  ['nothing', refusal(() => ({ retryAfter: null })), /after failed: a 429 came without Retry-After$/, /inconclusive/],
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
    'no RateLimit on a 429',
    refusal(() => ({ rateLimit: null })),
    /after failed: a 429 came without RateLimit$/,
    /honest passed/,
  ],
  [
    'longer than is waited for',
    refusal(() => ({ retryAfter: '3600' })),
    /after passed/,
    /inconclusive: nothing was sent/,
  ],
  ['never', (answer: LoadAnswer) => ({ ...answer, status: 200 }), /inconclusive: none of 8/, /inconclusive: none of 8/],
] as const)('Retry-After: %s', async (_, change, form, honesty) => {
  const told = await judged(change)
  expect(told[0]).toMatch(form)
  expect(told[1]).toMatch(honesty)
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
