import type { StoredPod } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { amends, carriesOut, entriesIn, mountOf, mountsIn, patching } from './patch-tools.ts'
import { is, type Json, membersOf, onAnswer, options, parts } from './tools.ts'

/** PATCHes for which the description leaves more than one answer: what none of them allows. */
export const patchOpen = [
  {
    id: 'other-size-500',
    rule: 'pods.patch.persistent-size',
    clause: 'answer',
    says: 'Another size of a persistent mount is answered 500.',
    observed: 'status 500',
    wrap: (fetch) => async (request) => {
      const body: unknown = is.patch(request) ? await request.clone().json() : null
      const fails = onAnswer(
        () => isOtherSize(membersOf(body) ?? {}),
        () => ({ status: 500 }),
      )
      return fails(fetch)(request)
    },
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
        patching((pod, body, next) => {
          if (isOtherSize(body)) pod.mounts = mountsIn(body) as StoredPod['mounts']
          else return next()
          next({ mounts: { persistent: { size: 10, path: '/workspace' } } })
        }),
      ],
    }),
  },
  {
    id: 'null-network-404',
    rule: 'pods.patch.null',
    clause: 'answer',
    says: 'null for the network mounts is answered 404.',
    observed: 'status 404',
    wrap: (fetch) => async (request) => {
      const body: unknown = is.patch(request) ? await request.clone().json() : null
      const isNull = mountsIn(membersOf(body) ?? {}).network === null
      const fails = onAnswer(
        () => isNull,
        ({ text }) => ({ status: 404, text: text.replace('422', '404') }),
      )
      return fails(fetch)(request)
    },
  },
  {
    id: 'null-persistent-removes-mount',
    rule: 'pods.patch.null',
    clause: 'unchanged',
    says: 'null for the persistent mount removes it.',
    observed: 'mounts {}',
    change: parts(
      {
        validate: (original) => (schema, body, service) =>
          isNullPersistent(body) ? undefined : original(schema, body, service),
      },
      patching((pod, body, next) => {
        if (!isNullPersistent(body)) return next()
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
  const size = membersOf(mountsIn(body).persistent)?.size
  return size === 20
}

function isNullPersistent(body: unknown): boolean {
  return mountsIn(membersOf(body) ?? {}).persistent === null
}

function firstOfTwo(mounts: Json): Json | null {
  const [first, second] = entriesIn(mounts)
  return second === undefined ? null : { network: [first] }
}
