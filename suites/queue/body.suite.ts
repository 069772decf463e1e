import { tables } from '../../generated/tables.ts'
import { raw } from '../../harness/client/body.ts'
import type { Reply } from '../../harness/client/reply.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { validText } from '../../harness/fixtures/jobs.ts'
import type { PlannedJob } from '../../harness/fixtures/types.ts'
import { answered } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { oneWorker } from '../shared/full-endpoint.ts'
import { blockedBy, submittedId, valid } from '../shared/job-answers.ts'

rule(
  'queue.body.not-json',
  async (context) => {
    const notJson = ['{"input":{}', '{"input":{}}}', "{'input':{}}", 'input={}', '{"input":{},}']
    const submits = await ways(context)
    await expectRefused(context, submits, 'not-json', notJson.map(raw))
    await expectRefused(context, submits, 'not-object', [[valid], [], null, 1, true, 'input'])
  },
  { workers: oneWorker, varies: ['order'] },
)

rule(
  'queue.body.input-missing',
  async (context) => {
    await expectRefused(context, await ways(context), 'refused', [
      {},
      { policy: { lowPriority: false } },
      { prompt: 'Hello' },
    ])
  },
  { workers: oneWorker, varies: ['order'] },
)

rule(
  'queue.body.input-type',
  async (context) => {
    await expectRefused(
      context,
      await ways(context),
      'refused',
      [null, 'text', '{}', 1, true, [], [{}]].map((input) => ({ input })),
    )
  },
  { workers: oneWorker, varies: ['order'] },
)

rule(
  'queue.body.ttl-bounds',
  async (context) => {
    // The time that an execution may take fits into either.
    const { executionTimeoutMs, ttlMs } = tables.bounds
    const bounds = { least: ttlMs.minimum, greatest: ttlMs.maximum }
    // What is refused afterwards is refused for its ttl.
    const plain = await context.fixture.submitted()
    for (const [clause, ttl] of Object.entries(bounds)) {
      for (const more of [{}, { lowPriority: false }, { lowPriority: true }]) {
        const body = { ...plain.body, policy: { executionTimeout: executionTimeoutMs.minimum, ttl, ...more } }
        submittedId(context, clause, body, await context.queue.run(body))
      }
    }
  },
  { varies: ['input', 'options'] },
)

rule(
  'queue.body.no-job',
  async (context) => {
    const { begun, check, clock, ended, fixture, looks, queue, target } = context
    const rejected: PlannedJob[] = []
    let last: Reply | null = null
    for (const spoil of spoilers) {
      for (const submit of context.vary.ordered([queue.run, queue.runsync])) {
        const job = fixture.job({ steps: [{ output: 1 }] })
        last = await submit(spoil(job.body))
        if (last.status >= 400 && last.status < 500) rejected.push(job)
      }
    }
    if (rejected.length === 0 && last !== null)
      blockedBy(context, 'queue.body.not-json', 'no spoiled submission was rejected', last)
    const later = await fixture.submitted({ steps: [{ output: 1 }] })
    await begun(later)
    const { reply } = await ended(later)
    await clock.sleep(target.tolerances.dispatchMs + (looks().at(-1) ?? 0))
    for (const { beacon } of rejected) {
      check('not-executed').that(
        beacon.executions().length === 0,
        'no execution of what was rejected',
        'an execution',
        reply,
      )
    }
  },
  { varies: [...anyJob, 'order'] },
)

/** Ways to spoil a submission so that what it asks for can still be made out. */
const spoilers: readonly ((body: Readonly<Record<string, unknown>>) => unknown)[] = [
  (body) => raw(JSON.stringify(body).slice(0, -1)),
  (body) => [body],
  (body) => ({ ...body, input: [body.input] }),
  (body) => ({ ...body, input: JSON.stringify(body.input) }),
]

/** Submits a body in one way. */
type Submit = Context['queue']['run']

/** Ways to submit that are shown to take a valid body, so that what is refused afterwards is refused for its own sake. */
async function ways(context: Context): Promise<readonly Submit[]> {
  const { fixture, inconclusive, part, queue } = context
  await fixture.submitted()
  // Without our worker nobody knows how long it would take until a valid one is answered.
  if (!part('worker')) return [queue.run]
  for (let tries = 1; ; tries++) {
    const reply = await queue.runsync(valid)
    if (isSuccess(reply.status)) return [queue.run, queue.runsync]
    if (reply.status === 400) {
      blockedBy(
        context,
        'queue.body.fuzz',
        `${validText(valid)} was answered by /runsync with ${answered(reply)}`,
        reply,
      )
    }
    // What is answered once the wait is over is not described; by then a worker is on its way.
    if (tries === 3) inconclusive(`/runsync answered ${reply.status} to a valid submission, so a refusal tells nothing`)
  }
}

/** Each body is answered 400, whichever way it is sent. */
async function expectRefused(
  context: Context,
  submits: readonly Submit[],
  clause: string,
  bodies: readonly unknown[],
): Promise<void> {
  for (const body of bodies) {
    for (const submit of context.vary.ordered(submits)) context.check(clause).status(await submit(body), 400)
  }
}
