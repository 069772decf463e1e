import { Refusal } from '../http/refusal.ts'
import type { Style } from '../style.ts'
import type { Mounts, StoredPod } from './pod.ts'
import type { PodService } from './service.ts'

type PersistentMount = NonNullable<Mounts['persistent']>
type NetworkMount = NonNullable<Mounts['network']>[number]

/**
 * The mounts of a pod after a PATCH, by the modification rules under the heading Mounts. Changes nothing itself.
 * @throws Refusal 400 for a kind that the pod was not created with, or another volume.
 */
export function patchMounts(pod: StoredPod, requested: Mounts | undefined, { style }: PodService): Mounts {
  if (requested === undefined) return pod.mounts
  const [network] = requested.network ?? []
  if (requested.persistent !== undefined) {
    if ('cpu' in pod.hardware) throw new Refusal(style.cpuPersistent, 'a CPU pod cannot have a persistent mount')
    return { persistent: patchPersistent(pod.mounts.persistent, requested.persistent, style) }
  }
  return network === undefined ? pod.mounts : { network: [patchNetwork(pod.mounts.network?.[0], network)] }
}

function patchPersistent(
  present: PersistentMount | undefined,
  requested: PersistentMount,
  style: Style,
): PersistentMount {
  if (present === undefined) throw new Refusal(400, 'the pod was created without a persistent mount')
  if (requested.size !== present.size && style.patchPersistentSize !== 'apply') {
    throw new Refusal(style.patchPersistentSize, 'the size of a persistent mount cannot be changed')
  }
  return { size: requested.size, path: requested.path }
}

function patchNetwork(present: NetworkMount | undefined, requested: NetworkMount): NetworkMount {
  if (present === undefined) throw new Refusal(400, 'the pod was created without a network mount')
  if (requested.volumeId !== present.volumeId) throw new Refusal(400, 'the volume of a pod cannot be changed')
  return { volumeId: present.volumeId, path: requested.path }
}
