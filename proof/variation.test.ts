import { expect, test } from 'vitest'
import '../suites/all.ts'
import { allRules } from '../harness/rule/registry.ts'
import { defects } from './defects/index.ts'
import { judgeOn } from './judge.ts'
import { inParallel } from './pool.ts'

const varied = defects.filter(({ variation }) => variation !== undefined)

test('the plain case of no rule finds a defect that shows only in a variation', async () => {
  const found = await inParallel(varied, 12, async (defect) => {
    const rules = allRules().filter(({ id }) => id === defect.rule)
    const [judgement] = await judgeOn({ variants: [defect], rules, plain: true })
    return judgement?.verdict === 'passed' || judgement?.verdict === 'observed' ? [] : [defect.id]
  })
  expect(found.flat()).toEqual([])
})
