import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { Context } from '../../harness/rule/context.ts'

/** Actions by which a right call is tried, in turn: terminate is permitted in every status. */
const tried = ['stop', 'restart', 'terminate'] as const

/**
 * The positive twin of refused action calls: a right one works on the pod, so they were refused for what was wrong with
 * them. Begins with the action that was asked for. Ends the rule as inconclusive where none works.
 */
export async function expectAccepted(
  { pods, inconclusive }: Context,
  { id }: { readonly id: string },
  asked: string = 'stop',
): Promise<void> {
  const answers: string[] = []
  for (const action of new Set([asked, ...tried])) {
    const { status } = await pods.act(id, action)
    if (isSuccess(status)) return
    answers.push(`${action} ${status}`)
  }
  inconclusive(`no right action call works, so a refusal proves nothing: ${answers.join(', ')}`)
}
