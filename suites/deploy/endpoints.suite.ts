import { pluralize } from '../../harness/common/pluralize.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { SubmittedJob } from '../../harness/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import type { Deployed } from '../../harness/tool/types.ts'
import { endOf, get, submitTo } from '../shared/endpoints.ts'
import { isNamed } from '../shared/listing.ts'
import { projectOf } from './projects.ts'
import { countListed, deploy, deployed, exitOf, listWith, namesOf } from './tool.ts'

const workerNeed = 'deploy.worker'

rule('deploy.endpoint-per-config', { creates: 2 }, async (context) => {
  const { check, part } = context
  const tree = projectOf(context, 'two-queues')
  const end = await deploy(context, tree)
  check('deployed').that(end.exit === 0, 'exit code 0', exitOf(end), end.reply)
  const { reply, endpoints } = await listWith(context, namesOf(tree))
  const own = namesOf(tree).map((name) => endpoints.filter((one) => isNamed(one.name, name)))
  const missing = own.filter(({ length }) => length === 0).length
  check('created').that(missing === 0, 'an endpoint of each name', `${pluralize(missing, 'name')} without one`, reply)
  const most = Math.max(...own.map(({ length }) => length))
  check('once').that(most === 1, 'one endpoint of each name', `${most} of one name`, reply)
  const ids = own.flat().map(({ endpoint }) => endpoint)
  check('ids').that(new Set(ids).size === ids.length, 'an id for each', 'one id for two endpoints', reply)
  for (const id of part('management') ? ids : []) {
    const shown = await get(context, id)
    check('exists').that(isSuccess(shown.status), 'an endpoint', `status ${shown.status}`, shown)
  }
})

rule('deploy.same-name', { creates: 4 }, async (context) => {
  const { check, reading } = context
  const tree = projectOf(context, 'same-name')
  const end = await deploy(context, tree)
  const { reply, count } = await countListed(context, namesOf(tree), projectOf(context, 'one-queue'))
  check('one').that(count < 2, 'one endpoint at most', `${count} endpoints of one name`, reply)
  reading('project', end.exit === 0 ? pluralize(count, 'endpoint') : 'refused')
})

rule('deploy.independent', { creates: 2 }, async (context) => {
  const { check, found, inconclusive, on } = context
  const [one, two] = (await deployed(context, projectOf(context, 'two-queues'))) as [Deployed, Deployed]
  const waiting = await begin(context, two, 'purge')
  await found(waiting.job)
  await on('queue').call('purgeQueue', { ids: { endpoint: one.endpoint }, body: {} })
  const seen = await waiting.job.queue.status(waiting.job.id)
  check('purge').that(seen.status !== 404, 'the job', 'status 404', seen)
  await expectOutput(context, 'purge', waiting)
  const crashing = await submitTo(context, one.endpoint, { steps: [{ exit: 1 }], workerNeed })
  await context.ended(crashing)
  await expectOutput(context, 'crash', await begin(context, two, 'crash'))
  const removal = await on('deploy').call('removeDeployed', { ids: { id: one.name } })
  if (!isSuccess(removal.status)) inconclusive('the tool did not remove an endpoint')
  const { reply, endpoints } = await listWith(context, [two.name])
  const isListed = endpoints.some(({ name }) => name === two.name)
  check('listed').that(isListed, 'a list with the other endpoint', 'a list without the other endpoint', reply)
  await expectOutput(context, 'removal', await begin(context, two, 'removal'))
})

rule('deploy.queue-one-function', { creates: 1 }, async (context) => {
  const { check, fixture, inconclusive } = context
  const [one] = (await deployed(context, projectOf(context, 'one-queue'))) as [Deployed]
  await expectOutput(context, 'run', await begin(context, one, 'run'))
  // The worker has come, so a synchronous job is answered with its output.
  const { body, queue } = fixture.job({ at: one.endpoint, steps: [{ output: 'runsync' }], workerNeed })
  const reply = await queue.runsync(body)
  const { output, status } = membersOf(reply.json) ?? {}
  if (status === 'IN_QUEUE' || status === 'IN_PROGRESS') inconclusive('the job outlasted the wait of /runsync')
  check('runsync').that(output === 'runsync', 'the output of the function', 'another output', reply)
})

/** A job that was submitted to a deployed endpoint, and its output. */
interface Begun {
  readonly job: SubmittedJob
  readonly output: string
}

async function begin(context: Context, { endpoint }: Deployed, output: string): Promise<Begun> {
  return { job: await submitTo(context, endpoint, { steps: [{ output }], workerNeed }), output }
}

/** The job ends with its output: its endpoint works. */
async function expectOutput(context: Context, clause: string, { job, output: expected }: Begun): Promise<void> {
  const { reply, status } = await endOf(context, job)
  const output = membersOf(reply.json)?.output
  const observed = status === 'COMPLETED' ? 'another output' : status
  context.check(clause).that(output === expected, 'the output of the function', observed, reply)
}
