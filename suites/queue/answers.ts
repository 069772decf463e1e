import { outageStatuses } from '../harness/check.ts'
import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import { idIn, membersOf } from '../harness/read.ts'

/** The id in the answer to a submission, which must be 200; ends the rule as inconclusive where there is none. */
export function submittedId({ check, inconclusive }: Context, clause: string, reply: Reply): string {
  check(clause).status(reply, 200)
  return idIn(reply.json) ?? inconclusive('a submission was answered without an id')
}

/** A refusal of whatever 4xx status. */
export function isRefused({ check, inconclusive }: Context, clause: string, reply: Reply): void {
  if (outageStatuses.has(reply.status)) inconclusive(`the target answered ${reply.status}, which tells of an outage`)
  check(clause).that(reply.status >= 400 && reply.status < 500, 'a 4xx status', `status ${reply.status}`, reply)
}

/** The status that an answer shows of a job; `status NNN` for an answer that is no 200, `no status` for one without. */
export function shownStatus({ status, json }: Reply): string {
  if (status !== 200) return `status ${status}`
  const shown = membersOf(json)?.status
  return typeof shown === 'string' ? shown : 'no status'
}
