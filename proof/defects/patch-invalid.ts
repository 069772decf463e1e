import type { Defect } from '../types.ts'
import { amends, answersWith, carriesOut, entriesIn } from './patch-tools.ts'
import { type Json, membersOf } from './tools.ts'

/** PATCHes whose mounts fail validation: 422, and nothing has changed. */
export const patchInvalid = [
  {
    id: 'persistent-without-size-accepted',
    rule: 'pods.patch.partial-persistent',
    clause: 'refused',
    says: 'A persistent mount without size is taken to keep its size.',
    observed: 'status 200',
    wrap: amends(withSize),
  },
  {
    id: 'persistent-without-size-refused-and-moved',
    rule: 'pods.patch.partial-persistent',
    clause: 'unchanged',
    says: 'A persistent mount without size is refused, and its path has changed.',
    observed: 'mounts {"persistent":{"size":10,"path":"/workspace-b"}}',
    wrap: carriesOut(withSize),
  },
  {
    id: 'network-without-path-400',
    rule: 'pods.patch.partial-network',
    clause: 'refused',
    says: 'A network mount without path is answered 400.',
    observed: 'status 400',
    wrap: answersWith((mounts) => entriesIn(membersOf(mounts) ?? {}).some((entry) => !('path' in entry)), 400),
  },
  {
    id: 'network-without-volume-refused-and-moved',
    rule: 'pods.patch.partial-network',
    clause: 'unchanged',
    says: 'A network mount without volumeId is refused, and its path has changed.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace-b"}]}',
    wrap: carriesOut((mounts) =>
      entriesIn(mounts).some((entry) => !('volumeId' in entry))
        ? { network: entriesIn(mounts).map((entry) => ({ volumeId: 'vol-1', ...entry })) }
        : null,
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
    id: 'unknown-property-of-persistent-ignored',
    rule: 'pods.patch.extra',
    clause: 'refused',
    says: 'An unknown property of a persistent mount is ignored.',
    observed: 'status 200',
    wrap: amends(({ persistent }) => {
      const own = membersOf(persistent)
      return own === null || !('plumbline' in own) ? null : { persistent: { size: own.size, path: own.path } }
    }),
  },
  {
    id: 'unknown-property-of-mounts-refused-and-moved',
    rule: 'pods.patch.extra',
    clause: 'unchanged',
    says: 'Mounts with an unknown property are refused, and the path of the network mount has changed.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace-b"}]}',
    wrap: carriesOut(({ network, plumbline }) => (plumbline === undefined ? null : { network })),
  },
  {
    id: 'persistent-size-as-text-accepted',
    rule: 'pods.patch.wrong-type',
    clause: 'refused',
    says: 'The size of a persistent mount may be a text of digits.',
    observed: 'status 200',
    wrap: amends(({ persistent }) => {
      const own = membersOf(persistent)
      return typeof own?.size === 'string' ? { persistent: { ...own, size: Number(own.size) } } : null
    }),
  },
  {
    id: 'network-object-refused-and-moved',
    rule: 'pods.patch.wrong-type',
    clause: 'unchanged',
    says: 'A network mount that is no list is refused, and its path has changed.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace-b"}]}',
    wrap: carriesOut(({ network }) => (membersOf(network) === null ? null : { network: [network] })),
  },
] as const satisfies readonly Defect[]

function withSize({ persistent }: Json): Json | null {
  const own = membersOf(persistent)
  return own === null || 'size' in own ? null : { persistent: { size: 10, ...own } }
}

function withLeastSize({ persistent }: Json): Json | null {
  const own = membersOf(persistent)
  return own?.size === 9 ? { persistent: { ...own, size: 10 } } : null
}
