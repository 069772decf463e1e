import type { Defect } from '../types.ts'
import {
  amends,
  answersWith,
  carriesOut,
  entriesIn,
  mountOf,
  mountsIn,
  patching,
  refusesAndSets,
} from './patch-tools.ts'
import { type Json, membersOf, options, parts } from './tools.ts'

/** PATCHes for which the description leaves more than one answer: what none of them allows. */
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
    id: 'two-networks-takes-first',
    rule: 'pods.patch.two-networks',
    clause: 'refused',
    says: 'Of two network mounts the first is taken.',
    observed: 'status 200',
    wrap: amends(firstOfTwo),
  },
  {
    id: 'two-networks-refused-and-first-taken',
    rule: 'pods.patch.two-networks',
    clause: 'unchanged',
    says: 'Two network mounts are refused, and the path has changed to that of the first.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace-b"}]}',
    wrap: carriesOut(firstOfTwo),
  },
] as const satisfies readonly Defect[]

function isOtherSize(body: Json): boolean {
  return membersOf(mountsIn(body).persistent)?.size === 20
}

function firstOfTwo(mounts: Json): Json | null {
  const [first, second] = entriesIn(mounts)
  return second === undefined ? null : { network: [first] }
}
