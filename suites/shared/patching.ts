import type { RuleId } from '../../generated/rules.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf, type PodView, sameMounts, show } from '../../harness/exchange/read.ts'
import type { Settled } from '../../harness/planes/pods/access.ts'
import { changeOf, shows } from '../../harness/planes/pods/fixtures/change.ts'
import { restartBeginsMs } from '../../harness/planes/pods/fixtures/history.ts'
import { mountsOf, planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { podFoundations } from '../../harness/planes/pods/foundations.ts'
import type { Context } from '../../harness/rule/context.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import type { MountKind } from '../../target/types.ts'

export { sameMounts }

/** The dimensions of rules about PATCH that name the kinds and mounts of their pods themselves. */
export const patchVaries = [
  ...anyPod.filter((dimension) => dimension !== 'kind' && dimension !== 'mount'),
  'patchedWhile',
  'order',
] as const

/** The pods that a rule is about, one branch each: a shape, or those that the target offers. */
export type Shapes = PodShape | ((context: Pick<Context, 'part'>) => readonly PodShape[])

export function eachOf(shapes: Shapes): (context: Pick<Context, 'part'>) => readonly PodShape[] {
  return typeof shapes === 'function' ? shapes : () => [shapes]
}

/** Pods with a mount of each kind on offer. */
export function mountedStates({ part: has }: Pick<Context, 'part'>): readonly PodShape[] {
  return [{ mount: 'network' }, ...(has('pods.persistent') ? [{ mount: 'persistent' } as const] : [])]
}

/** Every mount state of which `has` finds what it needs. PATCH speaks of what a pod was created with. */
export function mountStates({ part: has }: Pick<Context, 'part'>): readonly PodShape[] {
  return [
    { mount: 'none' },
    ...(has('volume') ? [{ mount: 'network' } as const] : []),
    ...(has('pods.persistent') ? [{ mount: 'persistent' } as const] : []),
    ...(has('volume') ? cpuBeside(has).map((kind) => ({ kind, mount: 'network' }) as const) : []),
  ]
}

/** Pods with a network mount, one of each kind on offer. */
export function networkStates({ part: has }: Pick<Context, 'part'>): readonly PodShape[] {
  return [{ mount: 'network' }, ...cpuBeside(has).map((kind) => ({ kind, mount: 'network' }) as const)]
}

/** Pods without a mount, one of each kind on offer. */
export function bareStates({ part: has }: Pick<Context, 'part'>): readonly PodShape[] {
  return [{}, ...cpuBeside(has).map((kind) => ({ kind }))]
}

/**
 * A pod for this rule alone on which PATCH works: its own mount is sent again unchanged. If it is RUNNING, the mount is moved
 * first, because PATCH may refuse changes while the container runs. Ends the rule as blocked if PATCH works in neither status.
 */
export async function patchablePod(context: Context, shape: PodShape): Promise<PodView> {
  const { blocked, check, clock, fixture, settle, vary } = context
  const { mount = 'none' } = shape
  const drawn = vary.draw('patchedWhile', (status) => status === 'EXITED' || mount !== 'none')
  const others: readonly ('EXITED' | 'RUNNING')[] = mount === 'none' ? ['EXITED'] : ['EXITED', 'RUNNING']
  const own = fixture.mounts(mount)
  const said: string[] = []
  let by: RuleId = mount === 'none' ? 'pods.patch.empty-object' : 'pods.patch.idempotent'
  for (const status of new Set([drawn, ...others])) {
    const pod = await fixture.pod(status, shape)
    // A PATCH of no mount and of nothing else may be refused.
    const kept = mount === 'none' ? { ...changeOf(context, pod, 'own'), mounts: own } : { mounts: own }
    const twins = status === 'EXITED' ? [kept] : [{ mounts: mountsMoved(context, mount) }, kept]
    const refused = await firstRefused(context, pod, twins)
    if (refused === null) {
      // A PATCH may restart the container, also once it has been answered.
      if (status === 'RUNNING') await clock.sleep(restartBeginsMs)
      const { response } = await settle(pod.id, (seen) => seen === status)
      return check('unchanged').pod(response)
    }
    if (status === drawn) vary.fellBack('patchedWhile')
    if (mount !== 'none' && !isMounted(own)(pod)) by = await mountLostBy(context, mount, shape)
    said.push(`a PATCH with the own mounts of a pod that is ${status} ${refused}`)
  }
  return blocked(by, said.join(', '))
}

/** The rule to blame for a pod that lacks its mount: about creations if a fresh pod lacks it too, else about stops. */
async function mountLostBy(context: Context, mount: keyof typeof mountRules, shape: PodShape): Promise<RuleId> {
  const { fixture } = context
  const fresh = await fixture.pod('RUNNING', { ...shape, history: 'fresh' })
  return isMounted(fixture.mounts(mount))(fresh) ? 'pods.action.stop-frees-compute' : mountRules[mount]
}

/** The rules that judge whether a new pod has its mount. */
export const mountRules = {
  network: 'pods.create.gpu',
  persistent: 'version.persistent-deprecated',
} as const satisfies Partial<Record<MountKind, RuleId>>

/** Patches a pod with each of these bodies; what came of the first whose mounts it does not take, null if it takes all. */
async function firstRefused(
  context: Context,
  { id }: PodView,
  all: readonly { readonly mounts: Members }[],
): Promise<string | null> {
  for (const body of all) {
    const { status } = await context.pods.patch(id, body)
    if (!isSuccess(status)) return `answered ${status}`
    if (!(await shown(context, id, (pod) => shows(pod, body))).settled) return 'was answered and not carried out'
  }
  return null
}

/** The mounts of a kind at another path: complete and allowed. */
export function mountsMoved({ target }: Pick<Context, 'target'>, mount: MountKind): Members {
  const plane = planeOf(target)
  const path = mount === 'persistent' ? (plane.persistent?.path ?? '/persistent') : plane.volumePath
  return mountsOf(plane, mount, `${path}-b`)
}

/** A PATCH of what a pod has: its mount at another path, or another field if it has none. */
export function validPatch(context: Context, pod: PodView): Members {
  const mount = mountIn(pod.value)
  return mount === 'none' ? changeOf(context, pod, 'b') : { mounts: mountsMoved(context, mount) }
}

/** A pod whose mount a PATCH has moved from where a careless platform may put it again. */
export async function movedPod(context: Context, pod: PodView): Promise<PodView> {
  const body = validPatch(context, pod)
  if (!('mounts' in body) || !isSuccess((await context.pods.patch(pod.id, body)).status)) return pod
  const { pod: moved, settled } = await shown(context, pod.id, (seen) => shows(seen, body))
  if (settled && moved !== null) return moved
  const by = mountIn(body) === 'network' ? 'pods.patch.network-path' : 'pods.patch.persistent-path'
  const seen = moved === null ? 'no pod' : show(moved.value.mounts)
  return context.blocked(by, `a PATCH of the path was accepted, but reads do not show the mounts as sent: ${seen}`)
}

/** The kind of mount that a pod shows. An empty list is no network mount. */
export function mountIn({ mounts }: Members): MountKind {
  const { network, persistent } = membersOf(mounts) ?? {}
  if (Array.isArray(network) && network.length > 0) return 'network'
  return persistent === undefined ? 'none' : 'persistent'
}

/** True if a pod has these mounts. */
export function isMounted(mounts: Members): (pod: PodView) => boolean {
  return ({ value }) => sameMounts(value.mounts, mounts)
}

/** Reads the pod until it shows something, at most as long as a write may take to be visible. */
export async function shown(context: Context, id: string, done: (pod: PodView) => boolean): Promise<Settled> {
  context.rely(podFoundations.shown)
  return context.settle(id, (_, pod) => pod !== null && done(pod), context.target.tolerances.visibleMs)
}

/** Locks a pod, or unlocks it, by the PATCH that the target file names, and `beside` it. Waits until the pod shows the lock. */
export async function setLock(context: Context, id: string, isLocked: boolean, beside: Members = {}) {
  const { lock, unlock } = context.target.pods?.locked ?? {}
  const patch = await context.pods.patch(id, { ...(isLocked ? lock : unlock), ...beside })
  return { patch, ...(await shown(context, id, ({ value }) => value.locked === isLocked)) }
}

/** The pod's own persistent mount at another path: complete and allowed. */
export function movedPersistent({ target }: Pick<Context, 'target'>): { readonly size: number; readonly path: string } {
  const { persistent } = planeOf(target)
  return { size: persistent?.size ?? 10, path: `${persistent?.path ?? '/persistent'}-b` }
}

/** A shape without a kind is a GPU pod if both kinds are on offer; then CPU pods are looked at as well. */
function cpuBeside(has: Context['part']): readonly 'cpu'[] {
  const isGpu = has('pods.gpu')
  return has('pods.cpu') && isGpu ? ['cpu'] : []
}
