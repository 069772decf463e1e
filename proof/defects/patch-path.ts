import type { Defect } from '../types.ts'
import { entriesIn, forgets, isCpuPod, mountOf, mountsIn, refuses } from './patch-tools.ts'
import { defect, is, type Json, onJson, succeeded } from './tools.ts'

/** PATCHes of a path, and what they answer. */
export const patchPath: readonly Defect[] = [
  defect('network-path-fixed', 'pods.patch.network-path', 'accepted', {
    says: 'The path of a network mount cannot be changed.',
    observed: 'status 400',
    change: refuses((_, body) => isMoved(entriesIn(mountsIn(body))[0]), 400),
  }),
  defect('network-path-ignored-on-cpu-pods', 'pods.patch.network-path', 'changed', {
    says: 'Another path for the network mount of a CPU pod is accepted and comes to nothing.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace"}]}',
    change: forgets((pod, body) => isCpuPod(pod) && isMoved(entriesIn(mountsIn(body))[0])),
  }),
  defect('persistent-path-fixed', 'pods.patch.persistent-path', 'accepted', {
    says: 'The path of a persistent mount cannot be changed.',
    observed: 'status 422',
    change: refuses((pod, body) => mountOf(pod) === 'persistent' && isMoved(mountsIn(body).persistent), 422),
  }),
  defect('persistent-path-ignored', 'pods.patch.persistent-path', 'changed', {
    says: 'Another path for a persistent mount is accepted and comes to nothing.',
    observed: 'mounts {"persistent":{"size":10,"path":"/workspace"}}',
    change: forgets((pod, body) => mountOf(pod) === 'persistent' && isMoved(mountsIn(body).persistent)),
  }),
  defect('patch-answers-ok', 'pods.patch.answer', 'pod', {
    says: 'A PATCH answers {"ok":true} instead of the pod.',
    observed: '{"ok":true}',
    wrap: onJson(succeeded(is.patch), () => ({ ok: true })),
  }),
  defect('patch-answers-pod-as-before', 'pods.patch.answer', 'as-afterwards', {
    says: 'A PATCH answers the pod with the path that it had before.',
    observed: 'another mounts',
    wrap: onJson(succeeded(is.patch), (pod) => ({
      ...pod,
      mounts: { network: [{ volumeId: 'vol-1', path: '/workspace' }] },
    })),
  }),
]

function isMoved(mount: unknown): boolean {
  return (mount as Json | undefined)?.path === '/workspace-b'
}
