import { tables } from '../../generated/tables.ts'
import { answered } from '../harness/check.ts'
import { raw } from '../harness/client/body.ts'
import type { Context } from '../harness/context.ts'
import { validText } from '../harness/fixtures/jobs.ts'
import type { PlannedJob } from '../harness/fixtures/types.ts'
import { Blocked } from '../harness/outcome.ts'
import { rule } from '../harness/registry.ts'
import { submittedId, valid } from './answers.ts'
import { oneWorker } from './full.ts'

rule(
  'queue.body.not-json',
  async (context) => {
    const notJson = ['{"input":{}', '{"input":{}}}', "{'input':{}}", 'input={}', '{"input":{},}']
    await expectTaken(context)
    await expectRefused(context, 'not-json', notJson.map(raw))
    await expectRefused(context, 'not-object', [[valid], [], null, 1, true, 'input'])
  },
  { workers: oneWorker },
)

rule(
  'queue.body.input-missing',
  async (context) => {
    await expectTaken(context)
    await expectRefused(context, 'refused', [{}, { policy: { lowPriority: false } }, { prompt: 'Hello' }])
  },
  { workers: oneWorker },
)

rule(
  'queue.body.input-type',
  async (context) => {
    await expectTaken(context)
    await expectRefused(
      context,
      'refused',
      [null, 'text', '{}', 1, true, [], [{}]].map((input) => ({ input })),
    )
  },
  { workers: oneWorker },
)

rule('queue.body.ttl-bounds', async (context) => {
  // The time that an execution may take fits into either.
  const { executionTimeoutMs, ttlMs } = tables.bounds
  const bounds = { least: ttlMs.minimum, greatest: ttlMs.maximum }
  // What is refused afterwards is refused for its ttl.
  await context.fixture.submitted()
  for (const [clause, ttl] of Object.entries(bounds)) {
    const policy = { executionTimeout: executionTimeoutMs.minimum, ttl }
    const body = { ...valid, policy }
    submittedId(context, clause, body, await context.queue.run(body))
  }
})

rule('queue.body.no-job', async (context) => {
  const { begun, check, clock, ended, fixture, inconclusive, queue, target } = context
  const rejected: PlannedJob[] = []
  for (const spoil of spoilers) {
    for (const submit of [queue.run, queue.runsync]) {
      const job = fixture.job({ steps: [{ output: 1 }] })
      const reply = await submit(spoil(job.body))
      if (reply.status >= 400 && reply.status < 500) rejected.push(job)
    }
  }
  if (rejected.length === 0) inconclusive('no submission was rejected')
  const later = await fixture.submitted({ steps: [{ output: 1 }] })
  await begun(later)
  const { reply } = await ended(later)
  await clock.sleep(target.tolerances.dispatchMs)
  for (const { beacon } of rejected) {
    check('not-executed').that(
      beacon.executions().length === 0,
      'no execution of what was rejected',
      'an execution',
      reply,
    )
  }
})

/** Ways to spoil a submission so that what it asks for can still be made out. */
const spoilers: readonly ((body: Readonly<Record<string, unknown>>) => unknown)[] = [
  (body) => raw(JSON.stringify(body).slice(0, -1)),
  (body) => [body],
  (body) => ({ ...body, input: [body.input] }),
  (body) => ({ ...body, input: JSON.stringify(body.input) }),
]

/** What is refused afterwards is refused for its own sake: /run and /runsync take a valid submission. */
async function expectTaken({ fixture, inconclusive, offers, queue }: Context): Promise<void> {
  await fixture.submitted()
  // Without our worker nobody knows how long it would take until a valid one is answered.
  if (!offers('worker')) return
  const reply = await queue.runsync(valid)
  if (reply.status === 400) {
    throw new Blocked('queue.body.fuzz', `${validText(valid)} was answered by /runsync with ${answered(reply)}`)
  }
  // What is answered once the wait is over is not described.
  if (reply.status !== 200) {
    inconclusive(`/runsync answered ${reply.status} to a valid submission, so a refusal tells nothing`)
  }
}

/** Each body is answered 400 by /run and /runsync. */
async function expectRefused({ check, queue }: Context, clause: string, bodies: readonly unknown[]): Promise<void> {
  for (const body of bodies) {
    check(clause).status(await queue.run(body), 400)
    check(clause).status(await queue.runsync(body), 400)
  }
}
