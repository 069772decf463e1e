import type { Context } from '../harness/context.ts'

/**
 * The positive twin of refused action calls: a right one works on a RUNNING pod, so they were refused for what was
 * wrong with them. Stops the pod. Ends the rule as inconclusive where it does not work.
 */
export async function isAccepted({ pods, inconclusive }: Context, { id }: { readonly id: string }): Promise<void> {
  const { status } = await pods.act(id, 'stop')
  if (status !== 200) inconclusive(`a right action call was answered ${status}, so a refusal tells nothing`)
}
