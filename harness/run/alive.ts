import type { Target } from '../../target/types.ts'
import { planeOfOperation, sectionOf } from '../planes/index.ts'
import { ClauseViolated, contrastText, Inconclusive, Unanswered } from '../rule/outcome.ts'
import type { Owner } from './owner.ts'
import { firstTolerances } from './probe.ts'

/**
 * The end of a rule as it can be believed. What a wait has shown, such as that no notification came, is no failure if the
 * target does not respond any more: one read tells.
 */
export async function believed(end: unknown, owner: Owner, target: Target): Promise<unknown> {
  const last = owner.sender.lastResponse()
  if (!(end instanceof ClauseViolated) || last === null || owner.actor.now() <= last.receivedMs) return end
  const plane = planeOfOperation(last.operation)
  const [probe] = plane.probes
  // A plane whose workers may be away need not respond.
  if (probe === undefined || plane.mayNotRespond === true) return end
  const call = { ...probe.call?.(sectionOf(target, plane.name) as never), ...firstTolerances(target) }
  try {
    await owner
      .on(plane.name)
      .as('full')
      .call(probe.operation, { ...call, raw429: true, atOnce: true, onceIfLate: true })
    return end
  } catch (error) {
    if (!(error instanceof Unanswered)) return end
    return new Inconclusive(`${contrastText(end.finding)}; but the target does not respond any more: ${error.message}`)
  }
}
