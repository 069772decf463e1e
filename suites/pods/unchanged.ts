import type { Context } from '../harness/context.ts'
import type { PodView } from '../harness/read.ts'

/**
 * How long after a refusal its pod is looked at once more: a call that was refused and queued all the same is usually
 * carried out within a second.
 */
const lookAgainMs = 2_000

/** A refused call has changed nothing about a pod, neither at once nor a little later. */
export async function staysUnchanged({ pods, clock, check }: Context, before: PodView): Promise<void> {
  check('unchanged').sameAs(await pods.get(before.id), before)
  await clock.sleep(lookAgainMs)
  check('unchanged-later').sameAs(await pods.get(before.id), before)
}
