import type { Target } from '../../target/types.ts'
import { movedByOthers } from '../clock/state.ts'
import { planeOfOperation, sectionOf } from '../planes/index.ts'
import { ClauseViolated, contrastText, Inconclusive, Unanswered } from '../rule/outcome.ts'
import type { Knowledge } from './knowledge.ts'
import type { Owner } from './owner.ts'
import { firstTolerances } from './probe.ts'

/**
 * The end of a rule. A failure is inconclusive if the target stopped responding meanwhile, because a notification may be missing for that
 * reason; after a wait, one read decides. A failure on a controlled clock is inconclusive too if another run has moved the clock.
 */
export async function inconclusiveIfDisturbed(
  end: unknown,
  owner: Owner,
  target: Target,
  knowledge: Pick<Knowledge, 'decide'>,
): Promise<unknown> {
  if (!(end instanceof ClauseViolated)) return end
  const disturbed = (why: string) => new Inconclusive(`${contrastText(end.finding)}; but the target ${why}`)
  try {
    await readOnce(owner, target)
    // The clock looks at the time before it wakes anybody.
    const clockFault = owner.services.controlled ? await owner.actor.pause(0) : null
    knowledge.decide(owner.name, () => {
      if (clockFault?.includes(movedByOthers)) return disturbed(`may have changed by itself: ${clockFault}`)
      return owner.sender.isInterrupted() ? disturbed('did not respond for a while before that') : null
    })
    return end
  } catch (error) {
    return error instanceof Unanswered ? disturbed(`does not respond any more: ${error.message}`) : error
  }
}

/** Sends a read if time has passed since the last response. */
async function readOnce({ actor, on, sender }: Owner, target: Target): Promise<void> {
  const last = sender.lastResponse()
  if (last === null || actor.now() <= last.received.target) return
  const plane = planeOfOperation(last.operation)
  const [probe] = plane.probes
  // A plane whose workers may be away need not respond.
  if (probe === undefined || plane.mayNotRespond === true) return
  const call = { ...probe.call?.(sectionOf(target, plane.name) as never), ...firstTolerances(target) }
  await on(plane.name)
    .as('full')
    .call(probe.operation, { ...call, raw429: true, atOnce: true, onceIfLate: true })
}
