import type { Reply } from '../harness/client/reply.ts'
import type { Context, Settled } from '../harness/context.ts'
import { planeOf } from '../harness/fixtures/pods.ts'
import type { PodShape } from '../harness/fixtures/types.ts'
import type { PodView } from '../harness/read.ts'
import { staysUnchanged } from './unchanged.ts'

export { sameMounts } from '../harness/fixtures/change.ts'

const unknownVolumeStatuses: ReadonlySet<number> = new Set([404, 422])

/** Every mount state of which `has` finds what it needs. PATCH speaks of what a pod was created with. */
export function mountStates(has: Context['part']): readonly PodShape[] {
  return [
    { mount: 'none' },
    ...(has('volume') ? [{ mount: 'network' } as const] : []),
    ...(has('pods.persistent') ? [{ mount: 'persistent' } as const] : []),
    ...(has('volume') ? cpuBeside(has).map((kind) => ({ kind, mount: 'network' }) as const) : []),
  ]
}

/** Pods with a network mount, one of each kind on offer. */
export function networkStates(has: Context['part']): readonly PodShape[] {
  return [{ mount: 'network' }, ...cpuBeside(has).map((kind) => ({ kind, mount: 'network' }) as const)]
}

/** Pods without a mount, one of each kind on offer. */
export function bareStates(has: Context['part']): readonly PodShape[] {
  return [{}, ...cpuBeside(has).map((kind) => ({ kind }))]
}

/**
 * A pod of this rule's own of which PATCH is shown to work: it gets its own mount again, whole and unchanged. It is
 * EXITED, where nothing moves by itself and no container stands in the way of another mount.
 */
export async function patchablePod({ check, fixture, inconclusive, pods }: Context, shape: PodShape): Promise<PodView> {
  const pod = await fixture.pod('EXITED', shape)
  const twin = await pods.patch(pod.id, { mounts: fixture.mounts(shape.mount ?? 'none') })
  if (twin.status >= 300) inconclusive(`a PATCH with the pod's own mounts answered ${twin.status}`)
  return check('unchanged').pod(await pods.get(pod.id))
}

/** Sends PATCHes that are wrong in one way each: all are refused, and the pod is as it was. */
export async function refuses(
  context: Context,
  pod: PodView,
  bodies: readonly unknown[],
  ...statuses: readonly number[]
): Promise<readonly Reply[]> {
  const replies: Reply[] = []
  for (const body of bodies) {
    const reply = await context.pods.patch(pod.id, body)
    context.check('refused').status(reply, ...statuses)
    replies.push(reply)
  }
  await staysUnchanged(context, pod)
  return replies
}

/** The same with 400 for a network mount that the pod was not created with. */
export async function refusesVolume(context: Context, pod: PodView, mounts: unknown): Promise<void> {
  const reply = await context.pods.patch(pod.id, { mounts })
  if (unknownVolumeStatuses.has(reply.status) && (await mayBeElsewhere(context, pod))) {
    context.inconclusive('the pod may be in another data center than the volume, a reason of its own to refuse')
  }
  context.check('refused').status(reply, 400)
  await staysUnchanged(context, pod)
}

/** Reads the pod until it shows something, at most as long as a write may take to be visible. */
export function shown(context: Context, id: string, done: (pod: PodView) => boolean): Promise<Settled> {
  return context.settle(id, (_, pod) => pod !== null && done(pod), context.target.tolerances.visibleMs)
}

/** The pod's own network mount at another path: complete and allowed. */
export function movedNetwork({ target }: Context): { readonly volumeId: string; readonly path: string } {
  const { volume, volumePath } = planeOf(target)
  return { volumeId: volume ?? '', path: `${volumePath}-b` }
}

/** The pod's own persistent mount at another path: complete and allowed. */
export function movedPersistent({ target }: Context): { readonly size: number; readonly path: string } {
  const { persistent } = planeOf(target)
  return { size: persistent?.size ?? 10, path: `${persistent?.path ?? '/persistent'}-b` }
}

/** Whether a status tells of a refusal. */
export function isRefusal({ status }: Reply): boolean {
  return status >= 400 && status < 500
}

async function mayBeElsewhere({ fixture }: Context, { value }: PodView): Promise<boolean> {
  const there = await fixture.shared('RUNNING', { mount: 'network' })
  return typeof value.dataCenterId !== 'string' || value.dataCenterId !== there.value.dataCenterId
}

/** A shape without a kind is a GPU pod where both kinds are on offer; then CPU pods are looked at as well. */
function cpuBeside(has: Context['part']): readonly 'cpu'[] {
  const isGpu = has('pods.gpu')
  return has('pods.cpu') && isGpu ? ['cpu'] : []
}
