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
  context.check('unchanged').sameAs(await context.pods.get(before.id), before)
  context.check('unchanged').sameAs(await lookAgain(context, before.id), before)
}

/** The pod as it is read a little later. */
export async function lookAgain({ clock, pods }: Pick<Context, 'clock' | 'pods'>, id: string): Promise<Reply> {
  await clock.sleep(lookAgainMs)
  return pods.get(id)
}
