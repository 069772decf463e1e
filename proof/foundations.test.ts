import { expect, test } from 'vitest'
import { allPlanes } from '../harness/planes/index.ts'
import { workersFreed } from '../harness/planes/queue/foundations.ts'
import type { Scenario } from '../harness/rule/registry.ts'
import { everything } from './jobs.ts'

const foundations = allPlanes().flatMap(({ foundations: all = [] }) => all)

test.each(foundations)('others can build on $rule: $clauses', (foundation) => {
  const { clauses, rule } = foundation
  const { defects, rules } = everything()
  const { alone, exclusive } = rules.find(({ id }) => id === rule) as Scenario
  expect(alone).toBe(false)
  // It begins before all others, and never waits for what they keep.
  if (!workersFreed.includes(foundation)) expect(exclusive).toBeUndefined()
  const known = new Set(defects.filter((defect) => defect.rule === rule).map(({ clause }) => clause))
  expect(clauses.filter((clause) => !known.has(clause))).toEqual([])
})
