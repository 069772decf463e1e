import { expect, test } from 'vitest'
import { createControlledClock as createScenarioClocks } from '../../harness/clock/controlled.ts'
import { podLoadRules } from '../../harness/rule/load-rules.ts'
import { allRules, type Invariant } from '../../harness/rule/registry.ts'
import { foldInvariants } from '../../harness/run/invariants.ts'
import { rowOf } from '../../harness/run/rows.ts'
import { referenceTarget } from '../../proof/instance.ts'
import {
  composeOptions,
  createControlledClock,
  createReference,
  defaultKeys,
  limiterOf,
} from '../../reference/index.ts'
import { limiterKindNames } from '../../reference/limits/windows.ts'
import { analyse } from '../analyse/analyse.ts'
import type { PodPlan } from '../plan/types.ts'
import { drivePods } from '../testing/pods.ts'
import { podLoadDefects } from './defects.ts'
import { givePoints, loadAloneRules, podPointRules } from './exchanges.ts'
import '../../suites/all.ts'

const invariants = allRules().filter(
  (rule): rule is Invariant => rule.kind === 'invariant' && podPointRules.includes(rule.id),
)
const START_MS = 1_767_323_045_123
const plan: PodPlan = {
  plane: 'pods',
  shape: 'pod-429',
  requests: 40,
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
    const contentType = line('content-type')
    const rate = { rateLimit: line('ratelimit'), rateLimitPolicy: line('ratelimit-policy') }
    return {
      status: response.status,
      retryAfter: line('retry-after'),
      ...rate,
      contentType,
      body: await response.text(),
    }
  }
  // Time passes between two requests, as it does for k6.
  let requests = 0
  const now = () => controlled.clock.now() + ++requests / 100
  const points = await drivePods({ plan, send, clock, now })
  clock.done()
  clocks.close()
  reference.close()
  const fold = foldInvariants(invariants, referenceTarget('https://reference.test', 'real'))
  givePoints(points, fold.unrecorded)
  const byInvariants = fold.judge(rowOf).map(({ rule, verdict, findings }) => {
    return { rule, verdict, sentence: findings[0]?.observed ?? '', exchange: findings[0]?.exchange }
  })
  return [...analyse(points, plan), ...byInvariants]
}

test('the quotas of the reference are as documented', async () => {
  const verdicts = (await found()).map(({ rule, verdict }) => [rule, verdict])
  const all = [...podLoadRules, ...podPointRules]
  expect(Object.fromEntries(verdicts)).toEqual(Object.fromEntries(all.map((rule) => [rule, 'passed'])))
})

test.each(limiterKindNames)('no invariant fails where requests are counted by a %s', async (kind) => {
  const judged = await found((options) => composeOptions(options, { limiter: limiterOf(kind) }))
  expect(judged.filter(({ verdict }) => verdict === 'failed' || verdict === 'advice')).toEqual([])
})

const resets = ['full', 'next'] as const
const waits = ['longest', 'full'] as const
const styles = limiterKindNames.flatMap((kind) =>
  resets.flatMap((rateReset) => waits.map((retryAfter) => [kind, rateReset, retryAfter] as const)),
)

test.each(styles)(
  'Retry-After covers t with a %s, t of %s and a %s Retry-After',
  async (kind, rateReset, retryAfter) => {
    for (const quotas of [{ minute: 5 }, { minute: 5, hour: 5 }, { minute: 5, hour: 5, day: 5 }]) {
      const judged = await found((options) =>
        composeOptions(options, { limiter: limiterOf(kind), quotas, style: { rateReset, retryAfter } }),
      )
      const covers = judged.find(({ rule }) => rule === 'limits.pods.retry-after-covers')
      expect(['passed', 'inconclusive']).toContain(covers?.verdict)
    }
  },
)

test.each(podLoadDefects.map((defect) => [defect.says, defect] as const))('%s', async (_, defect) => {
  const judged = (await found((options) => defect.change(options))).find(({ rule }) => rule === defect.rule)
  const isAdvice = defect.rule === 'limits.pods.structured'
  expect(judged).toMatchObject({
    verdict: isAdvice ? 'advice' : 'failed',
    sentence: expect.stringMatching(defect.observed),
  })
})

test('every rule of pods that load judges is failed by a defect', () => {
  const others: readonly string[] = loadAloneRules
  expect(new Set(podLoadDefects.map(({ rule }) => rule))).toEqual(new Set([...podLoadRules, ...others]))
})
