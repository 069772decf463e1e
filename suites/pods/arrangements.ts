import type { PodAction } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { type Members, membersOf, type PodView } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { anyPod, type Dimension } from '../../harness/variation/dimensions.ts'
import { eachOf, mountsMoved, patchablePod, patchVaries, type Shapes } from '../shared/patching.ts'
import { type Arrangement, put } from '../shared/table.ts'
import { expectUnchanged } from '../shared/unchanged.ts'
import { expectAccepted } from './answers.ts'

type Change = (valid: Members) => unknown

/** Puts a value into the network mount of a body, at a path such as `path`. A body without one does not fit. */
export function inNetwork(path: string, value?: unknown): Change {
  return (valid) => (networksIn(valid).length > 0 ? put(`mounts.network.0${stepTo(path)}`, value)(valid) : undefined)
}

/** The same with its persistent mount. */
export function inPersistent(path: string, value?: unknown): Change {
  return (valid) =>
    'persistent' in mountsIn(valid) ? put(`mounts.persistent${stepTo(path)}`, value)(valid) : undefined
}

/** The same with its mount, of either kind. */
export function inMount(path: string, value?: unknown): Change {
  return (valid) => inNetwork(path, value)(valid) ?? inPersistent(path, value)(valid)
}

/** The body with two network mounts: its own, and the same volume at another path. */
export function twoNetworks(valid: Members): unknown {
  const [own] = networksIn(valid)
  return { ...valid, mounts: { network: [own, { ...own, path: `${own?.path}-c` }] } }
}

/** The list of network mounts of a body; empty if it has none. */
export function networksIn(body: Members): readonly { readonly path?: unknown }[] {
  const { network } = mountsIn(body)
  return Array.isArray(network) ? network : []
}

function mountsIn({ mounts }: Members): Members {
  return membersOf(mounts) ?? {}
}

function stepTo(path: string): string {
  return path === '' ? '' : `.${path}`
}

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
      send: (body) => context.pods.actWith(pod.id, body, { mustBeRefused: true }),
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

const varies: readonly Dimension[] = patchVaries.filter((dimension) => dimension !== 'order')

/** PATCHes of pods of these shapes. The valid body moves the mount of the pod; for a pod without one it is empty. */
export function patching(shapes: Shapes): Arrangement<PodShape> {
  return {
    operation: () => 'updatePod',
    each: eachOf(shapes),
    varies: typeof shapes === 'function' ? [...varies, 'branch'] : varies,
    async begin(context, shape) {
      const pod = await patchablePod(context, shape)
      const valid = shape.mount === undefined ? {} : { mounts: mountsMoved(context, shape.mount) }
      return {
        valid: async () => valid,
        async send(body) {
          const response = await context.pods.patch(pod.id, body, { mustBeRefused: true })
          await refuseElsewhere(context, pod, body, response)
          return response
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
  { status }: ApiResponse,
): Promise<void> {
  const isAdded = networksIn(membersOf(body) ?? {}).length > 0 && networksIn(value).length === 0
  if (!isAdded || !unknownVolumeStatuses.has(status)) return
  const there = await fixture.shared('RUNNING', { mount: 'network' })
  if (typeof value.dataCenterId === 'string' && value.dataCenterId === there.value.dataCenterId) return
  inconclusive('the pod may be in another data center than the volume, which is another reason to refuse')
}
