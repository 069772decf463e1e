import { expect, it } from 'vitest'
import { estimate } from '../harness/plan/estimate.ts'
import type { Scenario } from '../harness/rule/registry.ts'
import { rowOf } from '../harness/run/rows.ts'
import { dimensions } from '../harness/variation/dimensions.ts'
import { createInstance } from './instance.ts'
import { everything } from './jobs.ts'
import { judgeOn } from './judge.ts'

const target = { ...createInstance().target, clock: 'real' as const }

const scenarios = everything().rules.filter((rule): rule is Scenario => rule.kind === 'scenario')
/** Rules about pods aside: how long those take is the pods' affair and that of their histories, and second looks are longer on a controlled clock. */
const waiting = scenarios
  .filter(({ id }) => rowOf(id).wait !== null || /^(queue|webhook)\.|^auth\.queue\./.test(id))
  .filter(({ id, varies = [] }) => !id.startsWith('pods.') || !(varies.includes('look') || varies.includes('history')))

it('no rule waits longer on the reference than a plan takes it to (npm run measure)', async () => {
  const longer: string[] = []
  for (const rule of waiting) {
    const [judgement] = await judgeOn({ variants: [], rules: [rule], asReal: true })
    const tookMs = (judgement?.endedMs ?? 0) - (judgement?.startedMs ?? 0)
    // A plan has the mean of the second looks that a seed may draw.
    const lookMs = rule.varies?.includes('look') ? 1_000 * Math.max(...dimensions.look.map(Number)) : 0
    // A job that failed in its past is read again after this time, and some of the drawn kinds of jobs take as much longer.
    const pastMs = rule.varies?.some((one) => one === 'past' || one === 'sample') ? target.tolerances.dispatchMs : 0
    // One more look at a job than when it was measured is no matter.
    const plannedMs =
      estimate(rule, rowOf(rule.id), target, { isSparing: false, requestMs: 0 }).ms +
      2 * target.tolerances.pollMs +
      lookMs +
      pastMs
    if (tookMs > plannedMs) longer.push(`${rule.id} takes ${tookMs / 1000} s and is planned with ${plannedMs / 1000} s`)
  }
  expect(longer).toEqual([])
})
