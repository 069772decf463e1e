import type { Defect } from '../types.ts'
import {
  carriesOut,
  entriesIn,
  ignores,
  isCpuPod,
  mountOf,
  mountsIn,
  patching,
  refuses,
  refusesAndSets,
} from './patch-tools.ts'
import { is, type Json, onAnswer, parts } from './tools.ts'

const otherPath = { network: [{ volumeId: 'vol-1', path: '/workspace-b' }] }

/** PATCHes against the rules of mounts: 400, and nothing has changed. */
export const patchRefused = [
  {
    id: 'empty-network-ignored-on-bare-pods',
    rule: 'pods.patch.empty-network',
    clause: 'refused',
    says: 'An empty list of network mounts is ignored on a pod without mounts.',
    observed: 'status 200',
    change: parts(ignores((pod, body) => isEmptyList(body) && mountOf(pod) === 'none')),
  },
  {
    id: 'empty-network-refused-and-unmounts',
    rule: 'pods.patch.empty-network',
    clause: 'unchanged',
    says: 'An empty list of network mounts is refused on a pod with a persistent mount, which loses the mount.',
    observed: 'mounts {}',
    change: parts(
      refusesAndSets(
        (pod, body) => isEmptyList(body) && mountOf(pod) === 'persistent',
        () => ({}),
      ),
    ),
  },
  {
    id: 'persistent-ignored-on-network-pods',
    rule: 'pods.patch.persistent-on-network',
    clause: 'refused',
    says: 'A persistent mount is ignored on a pod with a network mount.',
    observed: 'status 200',
    change: parts(ignores((pod, body) => isOnly(body, 'persistent') && mountOf(pod) === 'network')),
  },
  {
    id: 'persistent-refused-and-replaces-network',
    rule: 'pods.patch.persistent-on-network',
    clause: 'unchanged',
    says: 'A persistent mount is refused on a pod with a network mount, and replaces it.',
    observed: 'mounts {"persistent":{"size":10,"path":"/workspace"}}',
    change: parts(
      refusesAndSets(
        (pod, body) => isOnly(body, 'persistent') && mountOf(pod) === 'network',
        () => ({ persistent: { size: 10, path: '/workspace' } }),
      ),
    ),
  },
  {
    id: 'network-on-persistent-422',
    rule: 'pods.patch.network-on-persistent',
    clause: 'refused',
    says: 'A network mount on a pod with a persistent mount is answered 422.',
    observed: 'status 422',
    change: parts(refuses((pod, body) => isOnly(body, 'network') && mountOf(pod) === 'persistent', 422)),
  },
  {
    id: 'network-refused-and-replaces-persistent-later',
    rule: 'pods.patch.network-on-persistent',
    clause: 'unchanged',
    says: 'A network mount is refused on a pod with a persistent mount, and replaces it a second later.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace-b"}]}',
    change: parts(
      patching((pod, body, next, { clock }) => {
        if (isOnly(body, 'network') && mountOf(pod) === 'persistent') {
          clock.schedule(clock.now() + 1000, () => {
            pod.mounts = otherPath
          })
        }
        next()
      }),
    ),
  },
  {
    id: 'persistent-ignored-on-bare-pods',
    rule: 'pods.patch.mount-on-bare',
    clause: 'refused',
    says: 'A persistent mount is ignored on a pod without mounts.',
    observed: 'status 200',
    change: parts(ignores((pod, body) => isOnly(body, 'persistent') && mountOf(pod) === 'none')),
  },
  {
    id: 'network-refused-and-added-to-bare-cpu-pods',
    rule: 'pods.patch.mount-on-bare',
    clause: 'unchanged',
    says: 'A network mount is refused on a CPU pod without mounts, which has it then.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace-b"}]}',
    change: parts(
      refusesAndSets(
        (pod, body) => isOnly(body, 'network') && mountOf(pod) === 'none' && isCpuPod(pod),
        () => otherPath,
      ),
    ),
  },
  {
    id: 'persistent-ignored-on-cpu-pods',
    rule: 'pods.patch.cpu-persistent',
    clause: 'refused',
    says: 'A persistent mount is ignored on a CPU pod.',
    observed: 'status 200',
    change: parts(ignores((pod, body) => isOnly(body, 'persistent') && isCpuPod(pod))),
  },
  {
    id: 'persistent-refused-and-added-to-cpu-pods',
    rule: 'pods.patch.cpu-persistent',
    clause: 'unchanged',
    says: 'A persistent mount is refused on a CPU pod, which has it then.',
    observed: 'mounts {"persistent":{"size":10,"path":"/workspace"}}',
    change: parts(
      refusesAndSets(
        (pod, body) => isOnly(body, 'persistent') && isCpuPod(pod),
        () => ({ persistent: { size: 10, path: '/workspace' } }),
      ),
    ),
  },
  {
    id: 'both-on-persistent-pods-ignores-network',
    rule: 'pods.patch.both',
    clause: 'refused',
    says: 'Of both kinds of mount, a pod with a persistent mount takes its own and ignores the other.',
    observed: 'status 200',
    change: parts(
      patching((pod, body, next) => {
        const { persistent, network } = mountsIn(body)
        const isBoth = persistent !== undefined && network !== undefined
        next(isBoth && mountOf(pod) === 'persistent' ? { ...body, mounts: { persistent } } : body)
      }),
    ),
  },
  {
    id: 'both-refused-and-moves-network',
    rule: 'pods.patch.both',
    clause: 'unchanged',
    says: 'Both kinds of mount are refused, and the path of the network mount has changed.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace-b"}]}',
    wrap: carriesOut(({ persistent, network }) => (persistent === undefined ? null : { network })),
  },
  {
    id: 'other-volume-ignored-on-cpu-pods',
    rule: 'pods.patch.other-volume',
    clause: 'refused',
    says: 'Another volume is ignored on a CPU pod: the answer is a success.',
    observed: 'status 200',
    change: parts(ignores((pod, body) => isOtherVolume(body) && isCpuPod(pod))),
  },
  {
    id: 'other-volume-refused-and-mounted',
    rule: 'pods.patch.other-volume',
    clause: 'unchanged',
    says: 'Another volume is refused, and mounted.',
    observed: 'mounts {"network":[{"volumeId":"vol-2","path":"/workspace-b"}]}',
    change: parts(
      refusesAndSets(
        (_, body) => isOtherVolume(body),
        () => ({ network: [{ volumeId: 'vol-2', path: '/workspace-b' }] }),
      ),
    ),
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

function isOnly(body: Json, kind: 'network' | 'persistent'): boolean {
  const mounts = mountsIn(body)
  return Object.keys(mounts).join() === kind && !isEmptyList(body)
}

function isEmptyList(body: Json): boolean {
  const { network } = mountsIn(body)
  return Array.isArray(network) && network.length === 0
}

function isOtherVolume(body: Json): boolean {
  return entriesIn(mountsIn(body)).some(({ volumeId }) => volumeId === 'vol-2')
}
