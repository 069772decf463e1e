import '../suites/all.ts'
import { expect, test } from 'vitest'
import { allRules } from '../harness/rule/registry.ts'
import { judgeOn } from './judge.ts'

const rules = allRules().filter(({ id }) => id === 'pods.create.fuzz')

/** How many creations were accepted, with so many pods to spend. */
async function accepted(fuzzPods: number | null): Promise<number> {
  let count = 0
  await judgeOn({
    variants: [{ id: 'priced', says: '', file: (target) => ({ ...target, budget: { ...target.budget, fuzzPods } }) }],
    rules,
    exchanged({ operation, response }) {
      if (operation === 'createPod' && response?.status === 201) count++
    },
  })
  return count
}

test('pods.create.fuzz makes as many pods as --max-pods permits', async () => {
  const least = await accepted(0)
  expect(await accepted(2)).toBe(least + 2)
  expect(await accepted(null)).toBeGreaterThan(least + 2)
})
