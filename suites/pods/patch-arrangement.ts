import type { Reply } from '../../harness/client/reply.ts'
import { type Members, membersOf, type PodView } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { Dimension } from '../../harness/variation/dimensions.ts'
import { eachOf, mountsMoved, patchablePod, patchVaries, type Shapes } from '../shared/patching.ts'
import type { Arrangement } from '../shared/table.ts'
import { expectUnchanged } from '../shared/unchanged.ts'

const varies: readonly Dimension[] = patchVaries.filter((dimension) => dimension !== 'order')

/** PATCHes of pods of these shapes. The valid body moves the mount of the pod; for a pod without one it is empty. */
export function patching(shapes: Shapes): Arrangement<PodShape> {
  return {
    operation: () => 'updatePod',
    each: eachOf(shapes),
    varies,
    async begin(context, shape) {
      const pod = await patchablePod(context, shape)
      const valid = shape.mount === undefined ? {} : { mounts: mountsMoved(context, shape.mount) }
      return {
        valid: async () => valid,
        async send(body) {
          const reply = await context.pods.patch(pod.id, body, { repeats: true })
          await refuseElsewhere(context, pod, body, reply)
          return reply
        },
        expectNoEffect: () => expectUnchanged(context, pod),
      }
    },
  }
}

const unknownVolumeStatuses: ReadonlySet<number> = new Set([404, 422])

/** Ends the rule as inconclusive if a whole network mount may be refused because its volume is in another data center. */
async function refuseElsewhere(
  { fixture, inconclusive }: Context,
  { value }: PodView,
  body: unknown,
  { status }: Reply,
): Promise<void> {
  const isAdded = networkIn(membersOf(body) ?? {}) !== undefined && networkIn(value) === undefined
  if (!isAdded || !unknownVolumeStatuses.has(status)) return
  const there = await fixture.shared('RUNNING', { mount: 'network' })
  if (typeof value.dataCenterId === 'string' && value.dataCenterId === there.value.dataCenterId) return
  inconclusive('the pod may be in another data center than the volume, which is another reason to refuse')
}

function networkIn({ mounts }: Members): unknown {
  const network = membersOf(mounts)?.network
  return Array.isArray(network) ? network[0] : undefined
}
