import type { Defect } from '../types.ts'
import { isCpuPod, mountOf, mountsIn, patching, refuses } from './patch-tools.ts'
import { parts } from './tools.ts'

/** PATCHes that leave the mount alone. */
export const patchUnchanged = [
  {
    id: 'omitted-mounts-remove-persistent',
    rule: 'pods.patch.omitted',
    clause: 'unchanged',
    says: 'A PATCH without mounts removes a persistent mount.',
    observed: 'mounts {}',
    change: parts(
      patching((pod, body, next) => {
        next()
        if (!('mounts' in body) && mountOf(pod) === 'persistent') pod.mounts = {}
      }),
    ),
  },
  {
    id: 'empty-mounts-refused-on-network-pods',
    rule: 'pods.patch.empty-object',
    clause: 'accepted',
    says: 'Empty mounts are refused on a pod with a network mount.',
    observed: 'status 400',
    change: parts(refuses((pod, body) => mountOf(pod) === 'network' && isEmpty(body.mounts), 400)),
  },
  {
    id: 'empty-mounts-remove-mount-of-cpu-pods',
    rule: 'pods.patch.empty-object',
    clause: 'unchanged',
    says: 'Empty mounts remove the mount of a CPU pod.',
    observed: 'mounts {}',
    change: parts(
      patching((pod, body, next) => {
        next()
        if (isEmpty(body.mounts) && isCpuPod(pod)) pod.mounts = {}
      }),
    ),
  },
  {
    id: 'refused-patch-renames',
    rule: 'pods.patch.atomic',
    clause: 'unchanged',
    says: 'A PATCH that is refused for an empty list of network mounts still gives the pod its new name.',
    observed: 'changed: name',
    change: parts(
      patching((pod, body, next) => {
        if (typeof body.name === 'string') pod.name = body.name
        next()
      }),
    ),
  },
  {
    id: 'repeated-patch-conflicts',
    rule: 'pods.patch.idempotent',
    clause: 'accepted',
    says: 'A PATCH that changes nothing is answered 409.',
    observed: 'status 409',
    change: parts(
      refuses((pod, body) => movedTo(body) !== null && movedTo(body) === pod.mounts.network?.[0]?.path, 409),
    ),
  },
  {
    id: 'repeated-patch-clears-mount',
    rule: 'pods.patch.idempotent',
    clause: 'unchanged',
    says: 'A PATCH with the path that a network mount has already removes the mount.',
    observed: 'mounts {}',
    change: parts(
      patching((pod, body, next) => {
        const isRepeated = movedTo(body) !== null && movedTo(body) === pod.mounts.network?.[0]?.path
        next()
        if (isRepeated) pod.mounts = {}
      }),
    ),
  },
] as const satisfies readonly Defect[]

function isEmpty(mounts: unknown): boolean {
  return typeof mounts === 'object' && mounts !== null && Object.keys(mounts).length === 0
}

/** The path that a PATCH asks for where it is another one than at creation. */
function movedTo(body: Readonly<Record<string, unknown>>): string | null {
  const { network } = mountsIn(body) as { readonly network?: readonly { readonly path?: unknown }[] }
  const path = network?.[0]?.path
  return typeof path === 'string' && path !== '/workspace' ? path : null
}
