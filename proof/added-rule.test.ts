import { describe, expect, it } from 'vitest'
import type { RuleId } from '../generated/rules.ts'
import type { Scenario } from '../harness/rule/registry.ts'
import { assignValues } from '../harness/variation/deal.ts'
import { anyJob, anyPod, dimensions } from '../harness/variation/dimensions.ts'
import { type Catalog, everything } from './jobs.ts'
import { planJobs } from './plan.ts'
import { firstSeeds } from './seeds-that-find.ts'
import type { Defect } from './types.ts'

const catalog = everything()

/** A rule with a defect that only one value shows, in an area where others draw the same dimensions. */
const additions = [
  { id: 'pods.action.added', varies: anyPod, variation: { history: 'restarted' } },
  { id: 'queue.run.added', varies: anyJob, variation: { execution: 'later' } },
  { id: 'auth.queue.added', varies: ['order'], variation: { order: 'reversed' } },
] as const

describe.each(additions)('a new rule $id', ({ id, varies, variation }) => {
  const rule: Scenario = { kind: 'scenario', id: id as RuleId, alone: false, varies, run: async () => {} }
  const defect: Defect = {
    id: 'added',
    rule: rule.id,
    clause: 'any',
    says: 'A defect of its own.',
    observed: 'anything',
    variation,
    wrap: (fetch) => fetch,
  }
  const larger: Catalog = { ...catalog, rules: [...catalog.rules, rule], defects: [...catalog.defects, defect] }

  it('leaves the judging of every other defect as it was', () => {
    const before = planJobs(catalog, []).filter(({ kind }) => kind === 'defect')
    const after = planJobs(larger, []).filter(({ kind }) => kind === 'defect')
    expect(after.filter((job) => job.id !== 'added')).toEqual(before)
    expect(after.find((job) => job.id === 'added')?.given).toEqual(variation)
  })

  it('leaves every value of every other rule to one of the first seeds', () => {
    const scenarios = larger.rules.filter((one) => one.kind === 'scenario')
    const deals = firstSeeds.map((seed) => assignValues(scenarios, seed))
    const lost = scenarios.flatMap(({ id, varies = [] }) =>
      varies
        .map((dimension) => ({ id, dimension, count: dimensions[dimension].length }))
        .filter(({ count }) => count <= firstSeeds.length)
        .filter(({ dimension, count }) => {
          const places = deals.map((deal) => deal(id, dimension, count) % count)
          return new Set(places).size < count
        }),
    )
    expect(lost).toEqual([])
  })
})
