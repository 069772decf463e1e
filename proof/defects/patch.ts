import { membersOf } from '../../harness/exchange/read.ts'
import { TransportFailure } from '../../harness/transport/types.ts'
import type { Defect } from '../types.ts'
import {
  amends,
  answersWith,
  carriesOut,
  entriesIn,
  forgets,
  isCpuPod,
  mountOf,
  mountsIn,
  patching,
  refuses,
  refusesAndSets,
} from './patch-tools.ts'
import { all, defect, is, type Json, jsonOf, onJson, options, part, restated, succeeded } from './tools.ts'

/** PATCHes beyond the tables: mounts left alone, paths, open answers and unknown pods. */
export const patch: readonly Defect[] = [
  defect('omitted-mounts-remove-persistent', 'pods.patch.omitted', 'unchanged', {
    says: 'A PATCH without mounts removes a persistent mount.',
    observed: 'mounts {}',
    variation: { branch: 'persistent' },
    change: patching((pod, body, next) => {
      next()
      if (!('mounts' in body) && mountOf(pod) === 'persistent') pod.mounts = {}
    }),
  }),
  defect('empty-mounts-refused-on-network-pods', 'pods.patch.empty-object', 'accepted', {
    says: 'Empty mounts are refused on a pod with a network mount.',
    observed: 'status 400',
    variation: { branch: 'network' },
    change: refuses((pod, body) => mountOf(pod) === 'network' && isEmpty(body.mounts), 400),
  }),
  defect('empty-mounts-remove-mount-of-cpu-pods', 'pods.patch.empty-object', 'unchanged', {
    says: 'Empty mounts remove the mount of a CPU pod.',
    observed: 'mounts {}',
    variation: { branch: 'cpu network' },
    change: patching((pod, body, next) => {
      next()
      if (isEmpty(body.mounts) && isCpuPod(pod)) pod.mounts = {}
    }),
  }),
  defect('variables-alone-remove-mount', 'pods.patch.omitted', 'unchanged', {
    says: 'A PATCH of variables without mounts removes the mount.',
    observed: 'mounts {}',
    change: patching((pod, body, next) => {
      next()
      if ('env' in body && !('mounts' in body)) pod.mounts = {}
    }),
  }),
  defect('empty-mounts-alone-remove-mount', 'pods.patch.empty-object', 'unchanged', {
    says: 'A PATCH of empty mounts and nothing else removes the mount.',
    observed: 'mounts {}',
    change: patching((pod, body, next) => {
      next()
      if (isEmpty(body.mounts) && Object.keys(body).length === 1) pod.mounts = {}
    }),
  }),
  defect('empty-mounts-beside-env-remove-mount', 'pods.patch.empty-object', 'unchanged', {
    says: 'A PATCH of variables and empty mounts removes the mount.',
    observed: 'mounts {}',
    variation: { sample: 'env' },
    change: patching((pod, body, next) => {
      next()
      if (isEmpty(body.mounts) && 'env' in body) pod.mounts = {}
    }),
  }),
  defect('new-pod-takes-any-mount', 'pods.patch.new-pod', 'refused', {
    says: 'Until a pod is RUNNING, a mount that it was not created with is accepted and has no effect.',
    observed: 'status 200',
    change: patching((pod, body, next) => {
      if (pod.status !== 'PROVISIONING' || mountOf(pod) !== 'none') next()
      else next({ ...body, mounts: {} })
    }),
  }),
  defect('new-pod-ended-by-patch', 'pods.patch.new-pod', 'goes-on', {
    says: 'A PATCH of a pod on its way to RUNNING leaves it EXITED.',
    observed: 'status EXITED',
    change: part('patchPod', (next, pod, _, service) => {
      next()
      if (pod.status !== 'PROVISIONING' && pod.status !== 'STARTING') return
      pod.pending?.cancel()
      service.parts.enter(pod, 'EXITED', service)
    }),
  }),
  defect('new-pod-gets-refused-mount', 'pods.patch.new-pod', 'unchanged', {
    says: 'Until a pod is RUNNING, a mount that it was not created with is refused, and the pod gets it.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace-b"}]}',
    change: refusesAndSets(
      ({ status }) => status === 'PROVISIONING',
      (_, body) => mountsIn(body),
    ),
  }),
  defect('refused-patch-sets-variables', 'pods.patch.atomic', 'unchanged', {
    says: 'A PATCH that is refused for its mounts still changes the variables of the pod.',
    observed: 'changed: env',
    change: patching((pod, body, next) => {
      const env = membersOf(body.env)
      if (env !== null) pod.env = env as typeof pod.env
      next()
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
  ...(['disk', 'ports', 'locked'] as const).map((field) =>
    defect(`refused-patch-sets-${field}`, 'pods.patch.atomic', 'unchanged', {
      says: `A PATCH that is refused for its mounts still changes ${field} of the pod.`,
      observed: `changed: ${field}`,
      change: patching((pod, body, next) => {
        if (field in body) Object.assign(pod, { [field]: body[field] })
        next()
      }),
    }),
  ),
  defect('repeated-patch-conflicts', 'pods.patch.idempotent', 'accepted', {
    says: 'A PATCH that changes nothing is answered 409.',
    observed: 'status 409',
    variation: { branch: 'network' },
    change: refuses((pod, body) => movedTo(body) !== null && movedTo(body) === pod.mounts.network?.[0]?.path, 409),
  }),
  defect('repeated-patch-clears-mount', 'pods.patch.idempotent', 'unchanged', {
    says: 'A PATCH with the path that a network mount has already removes the mount.',
    observed: 'mounts {}',
    variation: { branch: 'network' },
    change: patching((pod, body, next) => {
      const isRepeated = movedTo(body) !== null && movedTo(body) === pod.mounts.network?.[0]?.path
      next()
      if (isRepeated) pod.mounts = {}
    }),
  }),
  defect('network-path-fixed', 'pods.patch.network-path', 'accepted', {
    says: 'The path of a network mount cannot be changed.',
    observed: 'status 400',
    change: refuses((_, body) => isMoved(entriesIn(mountsIn(body))[0]), 400),
  }),
  defect('network-path-ignored-on-cpu-pods', 'pods.patch.network-path', 'changed', {
    says: 'Another path for the network mount of a CPU pod is accepted and has no effect.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace"}]}',
    change: forgets((pod, body) => isCpuPod(pod) && isMoved(entriesIn(mountsIn(body))[0])),
  }),
  defect('persistent-path-fixed', 'pods.patch.persistent-path', 'accepted', {
    says: 'The path of a persistent mount cannot be changed.',
    observed: 'status 422',
    change: refuses((pod, body) => mountOf(pod) === 'persistent' && isMoved(mountsIn(body).persistent), 422),
  }),
  defect('persistent-path-ignored', 'pods.patch.persistent-path', 'changed', {
    says: 'Another path for a persistent mount is accepted and has no effect.',
    observed: 'mounts {"persistent":{"size":10,"path":"/workspace"}}',
    change: forgets((pod, body) => mountOf(pod) === 'persistent' && isMoved(mountsIn(body).persistent)),
  }),
  defect('running-pod-keeps-network-path', 'pods.patch.network-path', 'changed', {
    says: 'While a pod is RUNNING, another path for its network mount is accepted and has no effect.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace"}]}',
    variation: { patchedWhile: 'RUNNING' },
    change: forgets((pod, body) => pod.status === 'RUNNING' && entriesIn(mountsIn(body)).length > 0),
  }),
  defect('running-pod-keeps-persistent-path', 'pods.patch.persistent-path', 'changed', {
    says: 'While a pod is RUNNING, another path for its persistent mount is accepted and has no effect.',
    observed: 'mounts {"persistent":{"size":10,"path":"/workspace"}}',
    variation: { patchedWhile: 'RUNNING' },
    change: forgets((pod, body) => pod.status === 'RUNNING' && 'persistent' in mountsIn(body)),
  }),
  defect('patch-answers-ok', 'pods.patch.answer', 'pod', {
    says: 'A PATCH answers {"ok":true} instead of the pod.',
    observed: '{"ok":true}',
    wrap: onJson(succeeded(is.patch), () => ({ ok: true })),
  }),
  defect('patch-answers-without-runtime', 'pods.patch.answer', 'full', {
    says: 'The response to a PATCH leaves out what a stopped pod has nothing to say about.',
    observed: 'no cost, runtime',
    wrap: onJson(succeeded(is.patch), ({ cost: _, runtime: __, ...pod }) => pod),
  }),
  defect('patch-answers-pod-as-before', 'pods.patch.answer', 'as-afterwards', {
    says: 'A PATCH answers the pod with the path that it had before.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace"}]}',
    wrap: onJson(succeeded(is.patch), (pod) => ({
      ...pod,
      mounts: { network: [{ volumeId: 'vol-1', path: '/workspace' }] },
    })),
  }),
  defect('other-size-500', 'pods.patch.persistent-size', 'answer', {
    says: 'Another size of a persistent mount is answered 500.',
    observed: 'status 500',
    wrap: answersWith((mounts) => isOtherSize({ mounts }), 500),
  }),
  defect('other-size-ignored', 'pods.patch.persistent-size', 'applied', {
    says: 'Another size of a persistent mount is accepted and has no effect.',
    observed: 'mounts {"persistent":{"size":10,"path":"/workspace-b"}}',
    change: patching((pod, body, next) => {
      next()
      const { persistent } = pod.mounts
      if (isOtherSize(body) && persistent !== undefined) pod.mounts = { persistent: { ...persistent, size: 10 } }
    }),
  }),
  defect('other-size-refused-and-applied', 'pods.patch.persistent-size', 'unchanged', {
    says: 'Another size of a persistent mount is refused, and applied.',
    observed: 'mounts {"persistent":{"size":20,"path":"/workspace-b"}}',
    change: all(
      options({ style: { patchPersistentSize: 422 } }),
      refusesAndSets(
        (_, body) => isOtherSize(body),
        (_, body) => mountsIn(body),
      ),
    ),
  }),
  defect('null-network-404', 'pods.patch.null', 'answer', {
    says: 'null for the network mounts is answered 404.',
    observed: 'status 404',
    wrap: answersWith((mounts) => membersOf(mounts)?.network === null, 404),
  }),
  defect('null-persistent-removes-mount', 'pods.patch.null', 'unchanged', {
    says: 'null for the persistent mount removes it.',
    observed: 'mounts {}',
    change: patching((pod, body, next) => {
      if (mountsIn(body).persistent !== null) return next()
      if (mountOf(pod) === 'persistent') pod.mounts = {}
    }),
  }),
  defect('persistent-size-9-accepted', 'pods.patch.size-minimum', 'refused', {
    says: 'A size of 9 GB is taken for 10 GB.',
    observed: 'status 200',
    wrap: amends(withLeastSize),
  }),
  defect('persistent-size-9-400', 'pods.patch.size-minimum', 'refused', {
    says: 'A size of 9 GB is answered 400, while other sizes are accepted.',
    observed: 'status 400',
    wrap: answersWith((mounts) => membersOf(membersOf(mounts)?.persistent)?.size === 9, 400),
  }),
  defect('persistent-size-9-refused-and-moved', 'pods.patch.size-minimum', 'unchanged', {
    says: 'A persistent mount of 9 GB is refused, and its path has changed.',
    observed: 'mounts {"persistent":{"size":10,"path":"/workspace-b"}}',
    wrap: carriesOut(withLeastSize),
  }),
  defect('mount-without-size-closes-connection', 'pods.patch.partial-persistent', 'no size', {
    says: 'The connection of a PATCH whose persistent mount has no size is closed without a response.',
    observed: 'no complete response',
    wrap: (fetch) => async (request) => {
      const mount = is.patch(request) ? membersOf(mountsIn((await jsonOf(request)) ?? {}).persistent) : null
      if (mount !== null && !('size' in mount)) throw new TransportFailure('reset', 'the connection was closed')
      return fetch(request)
    },
  }),
  defect('patch-of-unknown-pod-400', 'pods.patch.unknown-pod', 'not-found', {
    says: 'A PATCH of a pod that does not exist is answered 400.',
    observed: 'status 400',
    wrap: restated(is.patch, 404, 400),
  }),
]

function isEmpty(mounts: unknown): boolean {
  return typeof mounts === 'object' && mounts !== null && Object.keys(mounts).length === 0
}

/** The path that a PATCH asks for if it is another one than at creation. */
function movedTo(body: Readonly<Record<string, unknown>>): string | null {
  const { network } = mountsIn(body) as { readonly network?: readonly { readonly path?: unknown }[] }
  const path = network?.[0]?.path
  return typeof path === 'string' && path !== '/workspace' ? path : null
}

function isMoved(mount: unknown): boolean {
  return (mount as Json | undefined)?.path === '/workspace-b'
}

function isOtherSize(body: Json): boolean {
  return membersOf(mountsIn(body).persistent)?.size === 20
}

function withLeastSize({ persistent }: Json): Json | null {
  const own = membersOf(persistent)
  return own?.size === 9 ? { persistent: { ...own, size: 10 } } : null
}
