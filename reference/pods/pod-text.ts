import { encode } from '../http/json.ts'
import type { StoredPod } from './pod.ts'
import { presentPod } from './present.ts'
import { presentRuntime, uptimeOf } from './present-runtime.ts'
import type { PodService } from './service.ts'

/** The fields of a pod that can change; each is replaced as a whole, never changed in place. */
const CHANGING = [
  'status',
  'name',
  'image',
  'args',
  'disk',
  'ports',
  'env',
  'registry',
  'mounts',
  'locked',
  'globalNetworking',
  'startedAtMs',
] as const satisfies readonly (keyof StoredPod)[]

/**
 * A pod as JSON, as every answer shows it. Clients poll a pod until it changes: until then, or until its metrics move, it
 * is not written again.
 */
export function podText(pod: StoredPod, service: PodService): string {
  const { parts, writtenPods } = service
  const isOriginal = parts.presentPod === presentPod && parts.presentRuntime === presentRuntime
  if (!isOriginal) return encode(parts.presentPod(pod, service), service)
  const uptime = uptimeOf(pod, service)
  const last = writtenPods.get(pod)
  if (last !== undefined && last.uptime === uptime && isSame(last.pod, pod)) return last.text
  const text = encode(presentPod(pod, service), service)
  writtenPods.set(pod, { text, pod: { ...pod }, uptime })
  return text
}

function isSame(a: StoredPod, b: StoredPod): boolean {
  for (const field of CHANGING) if (a[field] !== b[field]) return false
  return true
}
