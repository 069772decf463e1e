import { altered } from '../harness/altered.ts'
import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import { canonical, membersOf } from '../harness/read.ts'
import { rule } from '../harness/registry.ts'
import { kindOf } from '../pods/readers.ts'
import { mustBeRefused, shownStatus } from './answers.ts'
import { fills, fullEndpoint } from './full.ts'

/** The statuses that the description has (heading Job status). */
const described: ReadonlySet<string> = new Set(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED'])

rule('queue.status.shape', async (context) => {
  const { fixture, ended, check, clock, inconclusive } = context
  const output = { depth: 3 }
  const done = await fixture.submitted({ steps: [{ output }] })
  mustBeShown(context, await done.queue.status(done.id), done.id)
  const { status, job, reply } = await ended(done)
  if (status !== 'COMPLETED') inconclusive(`a job that gives an output came to ${status}`)
  check('output').that(canonical(job?.output) === canonical(output), 'the output', kindOf(job?.output), reply)
  await clock.sleep(1_000)
  mustBeShown(context, await done.queue.status(done.id), done.id)

  const failed = await fixture.submitted({ steps: [{ fail: 'no depth' }] })
  const end = await ended(failed)
  if (end.status !== 'FAILED') inconclusive(`a job that fails came to ${end.status}`)
  mustBeShown(context, end.reply, failed.id)
  check('error').that(typeof end.job?.error === 'string', 'a string', kindOf(end.job?.error), end.reply)
})

rule('queue.status.values', async ({ fixture, begun, check, clock, ended, follow, reading }) => {
  for (const step of [{ output: 1 }, { fail: 'no depth' }]) {
    const job = await fixture.submitted({ steps: [{ hold: 'go' }, step] })
    const look = async () => mustBeDescribed(await job.queue.status(job.id))
    await look()
    await begun(job)
    await look()
    await clock.sleep(1_000)
    await look()
    job.beacon.release('go')
    const end = await follow(job, (status) => status !== 'IN_QUEUE' && status !== 'IN_PROGRESS')
    mustBeDescribed(end.reply)
  }
  const cancelled = await fixture.submitted({ steps: [{ hold: 'go' }] })
  await cancelled.queue.cancel(cancelled.id)
  reading('cancelled', (await ended(cancelled)).status)

  function mustBeDescribed(reply: Reply): void {
    check('described').status(reply, 200)
    const status = shownStatus(reply)
    check('described').that(described.has(status), [...described].join(' or '), status, reply)
  }
})

rule(
  'queue.status.in-progress',
  async (context) => {
    const { fixture, check, clock, follow, inconclusive, target } = context
    const { dispatchMs } = target.tolerances
    const { role, held, release } = await fullEndpoint(context)
    for (const job of held) {
      const { status, reply } = await follow(job, (shown) => shown === 'IN_PROGRESS', dispatchMs)
      check('executing').that(status === 'IN_PROGRESS', 'IN_PROGRESS', status, reply)
    }
    const waiting = await fixture.submitted({ steps: [{ output: 1 }], endpoint: role })
    const looks: Reply[] = []
    for (const _ of ['at once', 'later']) {
      looks.push(await waiting.queue.status(waiting.id))
      // A worker more than the target file knows of has the job before it begins.
      const start = await clock.until(waiting.beacon.started(), clock.now() + dispatchMs)
      if (start !== null) inconclusive('a job found a worker though every one was busy')
    }
    for (const reply of looks) {
      check('waiting').status(reply, 200)
      const status = shownStatus(reply)
      check('waiting').that(status === 'IN_QUEUE', 'IN_QUEUE', status, reply)
    }
    release()
  },
  fills,
)

rule('queue.status.unknown', async (context) => {
  const { fixture, check, queue } = context
  const { id } = await fixture.submitted()
  check('known').status(await queue.status(id), 200)
  mustBeRefused(context, 'unknown', await queue.status(altered(id)))
})

rule('queue.status.of-another-endpoint', async (context) => {
  const { fixture, check, queue } = context
  for (const [here, there] of [
    ['normal', 'second'],
    ['second', 'normal'],
  ] as const) {
    const { id } = await fixture.submitted({ endpoint: here })
    check('known').status(await queue.on(here).status(id), 200)
    mustBeRefused(context, 'refused', await queue.on(there).status(id))
  }
})

rule('queue.status.failed', async ({ fixture, ended, check, inconclusive }) => {
  const { job, reply, settled, status } = await ended(await fixture.submitted({ steps: [{ fail: 'no depth' }] }))
  if (!settled) inconclusive('a job that fails did not end in time')
  check('failed').that(status === 'FAILED', 'FAILED', status, reply)
  const error = job?.error
  check('error').that(typeof error === 'string' && error !== '', 'a text', kindOf(error), reply)
})

/** What every look at a job shows. */
function mustBeShown({ check }: Context, reply: Reply, id: string): void {
  check('answered').success(reply)
  const shown = membersOf(reply.json)
  check('id').that(
    shown?.id === id,
    'the id of the job',
    typeof shown?.id === 'string' ? 'another id' : kindOf(shown?.id),
    reply,
  )
  check('status').that(typeof shown?.status === 'string', 'a string', kindOf(shown?.status), reply)
}
