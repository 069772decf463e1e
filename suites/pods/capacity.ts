import type { Reply } from '../../harness/client/reply.ts'
import type { PodView } from '../../harness/exchange/read.ts'
import { whenCapable } from '../../harness/fixtures/creating.ts'
import type { Context } from '../../harness/rule/context.ts'

/**
 * Asks for an action that takes compute; for a while again if there is none. Ends the rule as inconclusive if a new pod of
 * the same kind is refused as well; otherwise the refusal is the answer.
 */
export async function whileScarce(context: Context, pod: PodView, ask: () => Promise<Reply>): Promise<Reply> {
  const { clock, fixture, inconclusive, lacksCapacity, pods } = context
  const reply = await whenCapable({ lacksCapacity, sleep: (ms) => clock.sleep(ms) }, ask)
  if (!lacksCapacity(reply)) return reply
  if (lacksCapacity(await pods.create(await fixture.body({ kind: kindOf(pod) })))) {
    inconclusive('the target has no capacity, neither for this action nor for a new pod')
  }
  return reply
}

/**
 * Ends the rule as inconclusive if a new pod does not leave PROVISIONING in time either: then there is no capacity for
 * a pod that stays there.
 */
export async function refuseScarcity({ fixture, inconclusive, pods, settle }: Context, pod: PodView): Promise<void> {
  const id = await fixture.createdId(await pods.create(await fixture.body({ kind: kindOf(pod) })))
  const rest = id === null ? null : await settle(id, (status) => status !== 'PROVISIONING')
  if (rest?.settled !== true) inconclusive('the pod stayed in PROVISIONING, as a new one does: there is no capacity')
}

function kindOf({ value }: PodView): 'gpu' | 'cpu' {
  return 'cpu' in value ? 'cpu' : 'gpu'
}
