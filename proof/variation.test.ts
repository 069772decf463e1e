import { expect, test } from 'vitest'
import '../suites/all.ts'
import { allRules } from '../harness/rule/registry.ts'
import { defects } from './defects/index.ts'
import { judgeOn } from './judge.ts'
import { inParallel } from './pool.ts'

// The plain member of a class is as wrong as the others, and a plain run has every branch and part.
const varied = defects.filter(({ variation = {} }) =>
  Object.keys(variation).some((dimension) => !['sample', 'branch', 'part'].includes(dimension)),
)

test('the plain case of no rule finds a defect that shows only in a variation', async () => {
  const found = await inParallel(varied, 12, async (defect) => {
    const rules = allRules().filter(({ id }) => id === defect.rule)
    const [judgement] = await judgeOn({ variants: [defect], rules, given: {} })
    return judgement?.verdict === 'passed' || judgement?.verdict === 'observed' ? [] : [defect.id]
  })
  expect(found.flat()).toEqual([])
})
