import { answered, refuseOutage } from '../harness/check.ts'
import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import { validText } from '../harness/fixtures/jobs.ts'
import { idIn, membersOf } from '../harness/read.ts'

/** The submission that anything could be wrong with, and nothing is. */
export const valid = { input: {} }

/** Holds the answer to a valid submission to being 200. */
export function mustBeTaken({ check }: Context, clause: string, body: unknown, reply: Reply): void {
  refuseOutage(reply)
  check(clause).that(reply.status === 200, `${validText(body)} is accepted (200)`, answered(reply), reply)
}

/** The id in the answer to a submission, which must be 200; ends the rule as inconclusive where there is none. */
export function submittedId(context: Context, clause: string, body: unknown, reply: Reply): string {
  mustBeTaken(context, clause, body, reply)
  return idIn(reply.json) ?? context.inconclusive('a submission was answered without an id')
}

/** Holds an answer to being a refusal of whatever 4xx status. */
export function mustBeRefused({ check }: Context, clause: string, reply: Reply): void {
  refuseOutage(reply)
  check(clause).that(reply.status >= 400 && reply.status < 500, 'a 4xx status', `status ${reply.status}`, reply)
}

/**
 * The status that an answer shows of a job; `status NNN` for an answer that is no 200, `no status` for one without.
 * Throws Inconclusive for a gateway's answer.
 */
export function shownStatus(reply: Reply): string {
  refuseOutage(reply)
  if (reply.status !== 200) return `status ${reply.status}`
  const shown = membersOf(reply.json)?.status
  return typeof shown === 'string' ? shown : 'no status'
}

/** Holds a job to not being COMPLETED, in an answer that tells: it shows the job, or says that there is none. */
export function mustNotBeCompleted({ check, inconclusive }: Context, clause: string, reply: Reply): void {
  const status = shownStatus(reply)
  if (reply.status !== 404 && (reply.status !== 200 || status === 'no status')) {
    inconclusive(`a look at a job was answered ${reply.status} without its status`)
  }
  check(clause).that(status !== 'COMPLETED', 'never COMPLETED', status, reply)
}
