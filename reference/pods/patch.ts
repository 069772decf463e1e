import type { PodUpdate } from '../../generated/api.ts'
import { Refusal } from '../http/refusal.ts'
import { restart } from './lifecycle.ts'
import type { StoredPod } from './pod.ts'
import type { PodService } from './service.ts'

/** Fields of mounts whose null a style may treat in a way of its own. */
const MOUNT_KINDS = ['persistent', 'network'] as const

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
  const isRestarted = style.patchRestarts && pod.status === 'RUNNING' && changesContainer(pod, body)
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
