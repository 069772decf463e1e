import '../../suites/all.ts'
import { expect, test } from 'vitest'
import { allRules } from '../../harness/rule/registry.ts'
import { judgeOn } from '../judge.ts'
import { misreadActions } from './misread-actions.ts'
import { misreadPatches } from './misread-patches.ts'

const all = [...misreadActions, ...misreadPatches]

test.each(all)('$id: $says', async (defect) => {
  const rules = allRules().filter(({ id }) => id === defect.rule)
  const [judgement] = await judgeOn({ variants: [defect], rules, given: defect.variation })
  const found = judgement?.findings.map(({ clause, observed }) => ({ clause, observed }))
  expect(found, judgement?.reason ?? '').toEqual([{ clause: defect.clause, observed: defect.observed }])
})

test('there are forty and more, each with its name', () => {
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  expect(all.length).toBeGreaterThanOrEqual(40)
})
