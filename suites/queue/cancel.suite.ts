import { rule } from '../harness/registry.ts'
import { mustNotBeCompleted, shownStatus } from './answers.ts'
import { fills, fullEndpoint } from './full.ts'

rule(
  'queue.cancel.queued',
  async (context) => {
    const { fixture, begun, check, clock, ended, inconclusive, target } = context
    const { role, release } = await fullEndpoint(context)
    const waiting = await fixture.submitted({ steps: [{ output: 1 }], endpoint: role })
    const status = shownStatus(await waiting.queue.status(waiting.id))
    if (status !== 'IN_QUEUE' || waiting.beacon.executions().length > 0) {
      inconclusive(`a job that should wait showed ${status} before it was cancelled`)
    }
    check('accepted').success(await waiting.queue.cancel(waiting.id))
    await clock.sleep(target.tolerances.dispatchMs)
    release()
    const later = await fixture.submitted({ steps: [{ output: 1 }], endpoint: role })
    await begun(later)
    await ended(later)
    await clock.sleep(target.tolerances.dispatchMs)
    const reply = await waiting.queue.status(waiting.id)
    check('not-executed').that(
      waiting.beacon.executions().length === 0,
      'no execution of the cancelled job',
      'a worker began with it all the same',
      reply,
    )
    mustNotBeCompleted(context, 'not-completed', reply)
  },
  fills,
)
