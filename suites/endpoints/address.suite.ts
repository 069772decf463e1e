import { membersOf, show } from '../../harness/exchange/read.ts'
import { rule } from '../../harness/rule/registry.ts'
import { createdEndpoint, endOf, submitTo } from '../shared/endpoints.ts'
import { expectRefusal } from '../shared/job-answers.ts'

rule('endpoints.address', async (context) => {
  const { check, queue } = context
  const { id } = await createdEndpoint(context)
  const job = await submitTo(context, id, { steps: [{ output: 1 }] })
  expectRefusal(context, 'own', await queue.status(job.id))
  const { reply, status } = await endOf(context, job)
  check('serves').that(status === 'COMPLETED', 'COMPLETED', status, reply)
})

rule('endpoints.from-template', async (context) => {
  const { check, random } = context
  const { id } = await createdEndpoint(context)
  const output = { sum: Math.floor(random() * 2 ** 40) }
  const job = await submitTo(context, id, { input: { other: 1 }, steps: [{ output }] })
  const { reply } = await endOf(context, job)
  const isOurs = show(membersOf(reply.json)?.output) === show(output)
  check('worker').that(isOurs, 'the output of the worker in the template', 'another output', reply)
})

rule('endpoints.unique', { creates: 2 }, async (context) => {
  const { check } = context
  const one = await createdEndpoint(context)
  const two = await createdEndpoint(context)
  check('ids').that(one.id !== two.id, 'two ids', 'the same id twice', two.reply)
  const jobs = [
    await submitTo(context, one.id, { steps: [{ output: 'one' }] }),
    await submitTo(context, two.id, { steps: [{ output: 'two' }] }),
  ] as const
  expectRefusal(context, 'jobs', await jobs[0].queue.status(jobs[1].id))
  expectRefusal(context, 'jobs', await jobs[1].queue.status(jobs[0].id))
  for (const [at, job] of jobs.entries()) {
    const { reply } = await endOf(context, job)
    const [expected, output] = [show(at === 0 ? 'one' : 'two'), show(membersOf(reply.json)?.output)]
    check('serves').that(output === expected, `output ${expected}`, `output ${output}`, reply)
  }
})
