import { expect, test } from 'vitest'
import { compareDefect } from '../../proof/compare.ts'
import { everything, runJob } from '../../proof/jobs.ts'
import { defectJob } from '../../proof/plan.ts'
import { connect } from './connect.ts'

const catalog = everything()

test.each([
  ['closes the connection', 'crash-unanswered'],
  ['lacks a header', 'errors-problem-media-type-content-type-dropped'],
  ['is in the deployment tool', 'deploy-every-endpoint-twice'],
])('a defect that %s is found over HTTP as in process: %s', async (_, id) => {
  const defect = catalog.defects.find((one) => one.id === id)
  if (defect === undefined) throw new Error(`there is no defect ${id}`)
  const [judgement] = await runJob(defectJob(defect, catalog), catalog, connect)
  expect(compareDefect(defect, judgement)).toMatchObject({ killed: true })
})

test('a latitude with ports of its own waits until another instance has closed them', async () => {
  const rules = ['lb.direct-json']
  const job = { kind: 'latitude', id: 'lb-address-port', rules, wanted: rules } as const
  const judgements = await Promise.all([job, job].map((each) => runJob(each, catalog, connect)))
  expect(judgements.flat().map(({ verdict }) => verdict)).toEqual(['passed', 'passed'])
})
