import type { StoredPod } from './pod.ts'

/** The pods of all users, and those of each user by themselves, oldest first. */
export interface PodStore {
  add(pod: StoredPod): void
  get(id: string): StoredPod | undefined
  remove(pod: StoredPod): void
  of(user: string): Iterable<StoredPod>
  all(): Iterable<StoredPod>
}

export function createPodStore(): PodStore {
  const pods = new Map<string, StoredPod>()
  const users = new Map<string, Set<StoredPod>>()

  return {
    add(pod) {
      pods.set(pod.id, pod)
      const own = users.get(pod.user) ?? new Set()
      users.set(pod.user, own.add(pod))
    },
    get: (id) => pods.get(id),
    remove(pod) {
      pods.delete(pod.id)
      users.get(pod.user)?.delete(pod)
    },
    of: (user) => users.get(user) ?? [],
    all: () => pods.values(),
  }
}
