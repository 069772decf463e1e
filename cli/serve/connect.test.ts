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

test('any number of responses may take time: each request reaches the target, which the clock waits for', async () => {
  const { target, transport, close } = await connect(catalog.latitudes.filter(({ id }) => id === 'answers-take-time'))
  const clock = typeof target.clock === 'string' ? '' : target.clock.url
  const request = { method: 'GET', url: `${target.pods?.url}/v2/pods`, headers: [], body: null }
  const responses = Promise.all(Array.from({ length: 100 }, () => transport(request)))
  const open = async () => ((await (await fetch(clock)).json()) as { readonly open: number }).open
  await expect.poll(open).toBe(100)
  await fetch(clock, { method: 'POST', body: JSON.stringify({ advanceMs: 50 }) })
  expect(new Set((await responses).map(({ status }) => status))).toEqual(new Set([401]))
  await close()
})
