import { expect, test } from 'vitest'
import { createControlledClock as createScenarioClocks } from '../../harness/clock/controlled.ts'
import { composeOptions, createControlledClock, createReference, defaultKeys } from '../../reference/index.ts'
import { analyse } from '../analyse/analyse.ts'
import { podLoadRules } from '../analyse/rules.ts'
import type { PodPlan } from '../plan/types.ts'
import { drivePods } from '../testing/pods.ts'
import { podLoadDefects } from './defects.ts'

const START_MS = 1_767_323_045_123
const plan: PodPlan = {
  plane: 'pods',
  shape: 'pod-429',
  requests: 15,
  probes: 1,
  earlyShare: 0.25,
  longestWaitMs: 75_000,
}

/** Loads a reference whose shortest window has five requests, and judges its quotas. */
async function found(change = composeOptions) {
  const controlled = createControlledClock(START_MS)
  const reference = createReference(change({ clock: controlled.clock, quotas: { minute: 5 } }, {}))
  const clocks = createScenarioClocks({ kind: 'virtual', control: controlled, startMs: START_MS })
  const clock = clocks.actor('load')
  const headers = { authorization: `Bearer ${defaultKeys.full}` }
  const send = async () => {
    const response = await reference.fetch(new Request('http://reference.test/v2/pods', { headers }))
    const line = (name: string) => response.headers.get(name)
    const rate = { rateLimit: line('ratelimit'), rateLimitPolicy: line('ratelimit-policy') }
    return { status: response.status, retryAfter: line('retry-after'), ...rate, body: await response.text() }
  }
  const points = await drivePods({ plan, send, clock, now: controlled.clock.now })
  clock.done()
  clocks.close()
  reference.close()
  return analyse(points, plan)
}

test('the quotas of the reference are as documented', async () => {
  const verdicts = (await found()).map(({ rule, verdict }) => [rule, verdict])
  expect(Object.fromEntries(verdicts)).toEqual(Object.fromEntries(podLoadRules.map((rule) => [rule, 'passed'])))
})

test.each(podLoadDefects.map((defect) => [defect.says, defect] as const))('%s', async (_, defect) => {
  const judged = (await found((options) => defect.change(options))).find(({ rule }) => rule === defect.rule)
  expect(judged).toMatchObject({ verdict: 'failed', sentence: expect.stringMatching(defect.observed) })
})

test('every rule of pods that load judges is failed by a defect', () => {
  expect(new Set(podLoadDefects.map(({ rule }) => rule))).toEqual(new Set(podLoadRules))
})
