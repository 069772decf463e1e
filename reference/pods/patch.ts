import type { PodUpdate } from '../../generated/api.ts'
import { Refusal } from '../http/refusal.ts'
import { restart } from './lifecycle.ts'
import type { Mounts, StoredPod } from './pod.ts'
import type { PodService } from './service.ts'

/** Fields of mounts whose null a style may treat in a way of its own. */
const MOUNT_KINDS = ['persistent', 'network'] as const

interface Violation {
  readonly name: string
  readonly refusal: Refusal
}

/**
 * Changes a pod by a body: everything or, if it is refused, nothing.
 * @throws Refusal if the body fails validation, or its mounts are not those that the pod was created with.
 */
export function patchPod(pod: StoredPod, given: unknown, service: PodService): void {
  const { parts, style } = service
  const treated = treatNullMounts(given, service)
  parts.validate('PodUpdate', treated, service)
  const body = treated as PodUpdate
  const { mounts: requestedMounts, ...fields } = body
  const mounts = parts.patchMounts(pod, requestedMounts, service)
  const isAny = style.patchRestarts === 'any-change'
  const isMeant =
    changesContainer(pod, body) ||
    ((isAny || style.patchRestarts === 'mounts-too') && mounts !== pod.mounts) ||
    (isAny && Object.keys(fields).length > 0)
  const isRestarted = style.patchRestarts !== false && pod.status === 'RUNNING' && isMeant
  Object.assign(pod, fields, { mounts })
  if (isRestarted) restart(pod, service)
}

/**
 * A PATCH body as its schema is to see it: null for mounts, or for a kind of mount, is left to the schema, refused,
 * or taken as left out, by style.
 */
function treatNullMounts(body: unknown, { style }: PodService): unknown {
  if (style.patchNull === 422 || !isObject(body) || !hasNullMount(body)) return body
  if (style.patchNull === 400) throw new Refusal(400, 'a mount cannot be null')
  const { mounts, ...rest } = body
  return mounts === null ? rest : { ...rest, mounts: withoutNulls(mounts) }
}

function hasNullMount({ mounts }: Record<string, unknown>): boolean {
  return mounts === null || (isObject(mounts) && MOUNT_KINDS.some((kind) => mounts[kind] === null))
}

function withoutNulls(mounts: unknown): unknown {
  return isObject(mounts) ? Object.fromEntries(Object.entries(mounts).filter(([, mount]) => mount !== null)) : mounts
}

function changesContainer(pod: StoredPod, { args, env, image, ports }: PodUpdate): boolean {
  const asked = JSON.stringify([image ?? pod.image, args ?? pod.args, env ?? pod.env, ports ?? pod.ports])
  return asked !== JSON.stringify([pod.image, pod.args, pod.env, pod.ports])
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

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
