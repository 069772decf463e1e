import type { Defect } from '../types.ts'
import { isCpuPod, mountOf, mountsIn, patching, refuses } from './patch-tools.ts'
import { defect } from './tools.ts'

/** PATCHes that leave the mount alone. */
export const patchUnchanged: readonly Defect[] = [
  defect('omitted-mounts-remove-persistent', 'pods.patch.omitted', 'unchanged', {
    says: 'A PATCH without mounts removes a persistent mount.',
    observed: 'mounts {}',
    change: patching((pod, body, next) => {
      next()
      if (!('mounts' in body) && mountOf(pod) === 'persistent') pod.mounts = {}
    }),
  }),
  defect('empty-mounts-refused-on-network-pods', 'pods.patch.empty-object', 'accepted', {
    says: 'Empty mounts are refused on a pod with a network mount.',
    observed: 'status 400',
    change: refuses((pod, body) => mountOf(pod) === 'network' && isEmpty(body.mounts), 400),
  }),
  defect('empty-mounts-remove-mount-of-cpu-pods', 'pods.patch.empty-object', 'unchanged', {
    says: 'Empty mounts remove the mount of a CPU pod.',
    observed: 'mounts {}',
    change: patching((pod, body, next) => {
      next()
      if (isEmpty(body.mounts) && isCpuPod(pod)) pod.mounts = {}
    }),
  }),
  defect('refused-patch-renames', 'pods.patch.atomic', 'unchanged', {
    says: 'A PATCH that is refused for an empty list of network mounts still gives the pod its new name.',
    observed: 'changed: name',
    change: patching((pod, body, next) => {
      if (typeof body.name === 'string') pod.name = body.name
      next()
    }),
  }),
  defect('repeated-patch-conflicts', 'pods.patch.idempotent', 'accepted', {
    says: 'A PATCH that changes nothing is answered 409.',
    observed: 'status 409',
    change: refuses((pod, body) => movedTo(body) !== null && movedTo(body) === pod.mounts.network?.[0]?.path, 409),
  }),
  defect('repeated-patch-clears-mount', 'pods.patch.idempotent', 'unchanged', {
    says: 'A PATCH with the path that a network mount has already removes the mount.',
    observed: 'mounts {}',
    change: patching((pod, body, next) => {
      const isRepeated = movedTo(body) !== null && movedTo(body) === pod.mounts.network?.[0]?.path
      next()
      if (isRepeated) pod.mounts = {}
    }),
  }),
]

function isEmpty(mounts: unknown): boolean {
  return typeof mounts === 'object' && mounts !== null && Object.keys(mounts).length === 0
}

/** The path that a PATCH asks for where it is another one than at creation. */
function movedTo(body: Readonly<Record<string, unknown>>): string | null {
  const { network } = mountsIn(body) as { readonly network?: readonly { readonly path?: unknown }[] }
  const path = network?.[0]?.path
  return typeof path === 'string' && path !== '/workspace' ? path : null
}
