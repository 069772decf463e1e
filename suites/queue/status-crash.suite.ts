import { rule } from '../../harness/rule/registry.ts'
import { blockedBy, plainEnd } from '../shared/job-answers.ts'

/** Jobs whose worker dies every time: with a few executions each, every worker of a small endpoint dies. */
const deadly = 2

rule('queue.status.crash', { exclusive: ['dedicated'] }, async (context) => {
  const { check, ended, fixture, found, reading, target } = context
  const { retriesMs } = target.tolerances
  const plain = await plainEnd(context, 'COMPLETED', 'dedicated')
  if (plain.status !== 'COMPLETED') {
    blockedBy(context, 'queue.run.echo', `a plain job was ${plain.status} instead of COMPLETED`, plain.reply)
  }
  for (let n = 0; n < deadly; n++) {
    const job = await fixture.submitted({ steps: [{ exit: 1 }], endpoint: 'dedicated' })
    await found(job)
    const first = await ended(job, retriesMs)
    const count = job.beacon.executions().length
    const { settled, status, reply } = first.settled ? first : await ended(job, retriesMs)
    const isAgain = !settled && job.beacon.executions().length > count
    check('every-time').that(isAgain || status === 'FAILED', 'FAILED, or further executions', status, reply)
    reading('every-time', isAgain ? 'executed again' : status)
    if (!settled) await job.queue.cancel(job.id)
  }
  const job = await fixture.submitted({ steps: [{ first: [{ exit: 1 }] }, { output: 1 }], endpoint: 'dedicated' })
  await found(job)
  const { status, reply } = await ended(job, retriesMs)
  check('once').that(status === 'COMPLETED' || status === 'FAILED', 'COMPLETED or FAILED', status, reply)
})
