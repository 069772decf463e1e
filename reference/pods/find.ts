import type { Caller } from '../auth/accounts.ts'
import { Refusal } from '../http/refusal.ts'
import type { StoredPod } from './pod.ts'
import type { PodService } from './service.ts'

/**
 * A pod of the caller by its id, terminated ones included where they are kept.
 * @throws Refusal 404 if there is none, and by style 403 or 404 if it is another account's.
 */
export function findPod(id: string, caller: Caller, { store, style }: PodService): StoredPod {
  const pod = store.get(id)
  if (pod === undefined) throw new Refusal(404, 'resource not found')
  if (pod.user === caller.user) return pod
  throw style.hidden === 403 ? new Refusal(403, 'access denied') : new Refusal(404, 'resource not found')
}

/** The pods that the list of the caller shows. */
export function listPods(caller: Caller, { clock, life, store, style }: PodService): StoredPod[] {
  const nowMs = clock.now()
  const pods: StoredPod[] = []
  for (const pod of store.of(caller.user)) {
    const isShown = pod.status !== 'TERMINATED' || style.terminatedListed
    if (isShown && pod.createdAtMs + life.listLagMs <= nowMs) pods.push(pod)
  }
  return style.listOrder === 'oldest-first' ? pods : pods.reverse()
}
