import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import type { PodView } from '../harness/read.ts'

/**
 * How long after a call its pod is looked at once more, ms: what was queued behind an answer is usually carried out
 * within a second.
 */
export const lookAgainMs = 2_000

/** A refused call has changed nothing about a pod, neither at once nor a little later. */
export async function staysUnchanged(context: Context, before: PodView): Promise<void> {
  isSame(context, await context.pods.get(before.id), before)
  isSame(context, await lookAgain(context, before.id), before)
}

/** Says of a pod that is gone that it is: a bare 404 reads as one more refusal. */
function isSame({ check }: Context, reply: Reply, before: PodView): void {
  const isGone = reply.status === 404
  check('unchanged').that(!isGone, 'the pod as it was before calls that were refused', 'status 404: it is gone', reply)
  check('unchanged').sameAs(reply, before)
}

/** The pod as it is read a little later. */
export async function lookAgain({ clock, pods }: Pick<Context, 'clock' | 'pods'>, id: string): Promise<Reply> {
  await clock.sleep(lookAgainMs)
  return pods.get(id)
}
