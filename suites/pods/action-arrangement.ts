import type { PodAction } from '../../generated/tables.ts'
import type { PodView } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import type { Arrangement } from '../shared/table.ts'
import { expectUnchanged } from '../shared/unchanged.ts'
import { expectAccepted } from './twins.ts'

/** The dimensions of an action call whose body is wrong. */
export const actingVaries = [...anyPod, 'action'] as const

/** Action calls on a pod whose status permits the action that was drawn. A right call comes last, because it changes the pod. */
export const acting: Arrangement<undefined> = {
  operation: () => 'triggerPodAction',
  each: () => [undefined],
  varies: actingVaries,
  async begin(context) {
    const { action, pod } = await podForAction(context)
    return {
      valid: async () => ({ action }),
      send: (body) => context.pods.actWith(pod.id, body, { repeats: true }),
      async expectNoEffect() {
        await expectUnchanged(context, pod)
        await expectAccepted(context, pod, action)
      },
    }
  },
}

/** The drawn action, and a pod in a status that permits it. */
export async function podForAction({
  fixture,
  vary,
}: Context): Promise<{ readonly pod: PodView; readonly action: PodAction }> {
  const action = vary.draw('action')
  return { action, pod: await fixture.pod(action === 'start' ? 'EXITED' : 'RUNNING') }
}
