import { Refusal } from '../http/refusal.ts'
import type { Mounts, StoredPod } from './pod.ts'
import type { PodService } from './service.ts'

/**
 * The mounts of a pod after a PATCH, by the modification rules under the heading Mounts. Changes nothing itself.
 * @throws Refusal 400 for a kind that the pod was not created with, or another volume.
 */
export function patchMounts(pod: StoredPod, requested: Mounts | undefined, service: PodService): Mounts {
  if (requested === undefined) return pod.mounts
  const violation = violationOf(pod, requested, service)
  if (violation !== null && service.parts.enforces(violation.name, { mounts: requested })) throw violation.refusal
  const { network, persistent } = requested
  if (Array.isArray(network)) return network.length === 0 ? {} : { network }
  return persistent === undefined ? pod.mounts : { persistent }
}

interface Violation {
  readonly name: string
  readonly refusal: Refusal
}

/** The constraint that mounts of a valid form violate on this pod. */
function violationOf({ hardware, mounts }: StoredPod, requested: Mounts, { style }: PodService): Violation | null {
  const { network, persistent } = requested
  // Both at once are wrong for their form.
  if (network !== undefined && persistent !== undefined) return null
  if (persistent !== undefined) {
    if ('cpu' in hardware) return violation('persistentOnCpu', style.cpuPersistent, 'a CPU pod has no persistent mount')
    if (mounts.persistent === undefined) return notCreatedWith('persistent')
    if (persistent.size === mounts.persistent.size || style.patchPersistentSize === 'apply') return null
    return violation('otherSize', style.patchPersistentSize, 'the size of a persistent mount cannot be changed')
  }
  const volumeId = network?.[0]?.volumeId
  if (typeof volumeId !== 'string') return null
  if (mounts.network === undefined) return notCreatedWith('network')
  if (volumeId === mounts.network[0]?.volumeId) return null
  return violation('otherVolume', 400, 'the volume of a pod cannot be changed')
}

function notCreatedWith(kind: 'network' | 'persistent'): Violation {
  return violation(`${kind}Added`, 400, `the pod was created without a ${kind} mount`)
}

function violation(name: string, status: number, detail: string): Violation {
  return { name, refusal: new Refusal(status, detail) }
}
