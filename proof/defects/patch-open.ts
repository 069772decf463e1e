import type { Defect } from '../types.ts'
import { amends, answersWith, carriesOut, mountOf, mountsIn, patching, refusesAndSets } from './patch-tools.ts'
import { all, defect, is, type Json, membersOf, options, restated } from './tools.ts'

/** PATCHes that are not in tables: those with several permitted answers, and those of unknown pods. */
export const patchOpen: readonly Defect[] = [
  defect('other-size-500', 'pods.patch.persistent-size', 'answer', {
    says: 'Another size of a persistent mount is answered 500.',
    observed: 'status 500',
    wrap: answersWith((mounts) => isOtherSize({ mounts }), 500),
  }),
  defect('other-size-ignored', 'pods.patch.persistent-size', 'applied', {
    says: 'Another size of a persistent mount is accepted and comes to nothing.',
    observed: 'another mount in reads',
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
  defect('patch-of-unknown-pod-400', 'pods.patch.unknown-pod', 'not-found', {
    says: 'A PATCH of a pod that does not exist is answered 400.',
    observed: 'status 400',
    wrap: restated(is.patch, 404, 400),
  }),
]

function isOtherSize(body: Json): boolean {
  return membersOf(mountsIn(body).persistent)?.size === 20
}

function withLeastSize({ persistent }: Json): Json | null {
  const own = membersOf(persistent)
  return own?.size === 9 ? { persistent: { ...own, size: 10 } } : null
}
