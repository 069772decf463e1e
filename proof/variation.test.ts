import { expect, test } from 'vitest'
import { everything, runJob } from './jobs.ts'
import { defectJob } from './plan.ts'
import { inParallel } from './pool.ts'

const catalog = everything()
// The plain member of a class is as wrong as the others, and a plain run has every branch and part. A tour shows some of what
// is wrong on plain pods too.
const varied = catalog.defects.filter(
  ({ tour, variation = {} }) =>
    tour === undefined && Object.keys(variation).some((dimension) => !['sample', 'branch', 'part'].includes(dimension)),
)

test('the plain case of no rule finds a defect that shows only in a variation', async () => {
  const found = await inParallel(varied, 12, async (defect) => {
    const [judgement] = await runJob({ ...defectJob(defect, catalog), given: {} }, catalog)
    return judgement?.verdict === 'passed' || judgement?.verdict === 'observed' ? [] : [defect.id]
  })
  expect(found.flat()).toEqual([])
})
