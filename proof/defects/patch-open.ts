import type { Defect } from '../types.ts'
import { amends, answersWith, carriesOut, mountOf, mountsIn, patching, refusesAndSets } from './patch-tools.ts'
import { is, type Json, membersOf, onAnswer, options, parts } from './tools.ts'

/** PATCHes that are not in tables: those with several permitted answers, and those of unknown pods. */
export const patchOpen = [
  {
    id: 'other-size-500',
    rule: 'pods.patch.persistent-size',
    clause: 'answer',
    says: 'Another size of a persistent mount is answered 500.',
    observed: 'status 500',
    wrap: answersWith((mounts) => isOtherSize({ mounts }), 500),
  },
  {
    id: 'other-size-ignored',
    rule: 'pods.patch.persistent-size',
    clause: 'applied',
    says: 'Another size of a persistent mount is accepted and comes to nothing.',
    observed: 'another mount in reads',
    change: parts(
      patching((pod, body, next) => {
        next()
        const { persistent } = pod.mounts
        if (isOtherSize(body) && persistent !== undefined) pod.mounts = { persistent: { ...persistent, size: 10 } }
      }),
    ),
  },
  {
    id: 'other-size-refused-and-applied',
    rule: 'pods.patch.persistent-size',
    clause: 'unchanged',
    says: 'Another size of a persistent mount is refused, and applied.',
    observed: 'mounts {"persistent":{"size":20,"path":"/workspace-b"}}',
    change: options({
      style: { patchPersistentSize: 422 },
      parts: [
        refusesAndSets(
          (_, body) => isOtherSize(body),
          (_, body) => mountsIn(body),
        ),
      ],
    }),
  },
  {
    id: 'null-network-404',
    rule: 'pods.patch.null',
    clause: 'answer',
    says: 'null for the network mounts is answered 404.',
    observed: 'status 404',
    wrap: answersWith((mounts) => membersOf(mounts)?.network === null, 404),
  },
  {
    id: 'null-persistent-removes-mount',
    rule: 'pods.patch.null',
    clause: 'unchanged',
    says: 'null for the persistent mount removes it.',
    observed: 'mounts {}',
    change: parts(
      patching((pod, body, next) => {
        if (mountsIn(body).persistent !== null) return next()
        if (mountOf(pod) === 'persistent') pod.mounts = {}
      }),
    ),
  },
  {
    id: 'persistent-size-9-accepted',
    rule: 'pods.patch.size-minimum',
    clause: 'refused',
    says: 'A size of 9 GB is taken for 10 GB.',
    observed: 'status 200',
    wrap: amends(withLeastSize),
  },
  {
    id: 'persistent-size-9-400',
    rule: 'pods.patch.size-minimum',
    clause: 'refused',
    says: 'A size of 9 GB is answered 400, while other sizes are accepted.',
    observed: 'status 400',
    wrap: answersWith((mounts) => membersOf(membersOf(mounts)?.persistent)?.size === 9, 400),
  },
  {
    id: 'persistent-size-9-refused-and-moved',
    rule: 'pods.patch.size-minimum',
    clause: 'unchanged',
    says: 'A persistent mount of 9 GB is refused, and its path has changed.',
    observed: 'mounts {"persistent":{"size":10,"path":"/workspace-b"}}',
    wrap: carriesOut(withLeastSize),
  },
  {
    id: 'patch-of-unknown-pod-400',
    rule: 'pods.patch.unknown-pod',
    clause: 'not-found',
    says: 'A PATCH of a pod that does not exist is answered 400.',
    observed: 'status 400',
    wrap: onAnswer(
      (request, { status }) => is.patch(request) && status === 404,
      ({ text }) => ({ status: 400, text: text.replace('404', '400') }),
    ),
  },
] as const satisfies readonly Defect[]

function isOtherSize(body: Json): boolean {
  return membersOf(mountsIn(body).persistent)?.size === 20
}

function withLeastSize({ persistent }: Json): Json | null {
  const own = membersOf(persistent)
  return own?.size === 9 ? { persistent: { ...own, size: 10 } } : null
}
