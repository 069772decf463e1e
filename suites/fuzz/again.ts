import type { Reply } from '../../harness/client/reply.ts'
import { changedFields, liveFields, type PodView, podOf, show } from '../../harness/exchange/read.ts'
import { unlessUnanswered } from '../../harness/rule/outcome.ts'

/** Does something that can be done over, such as making a pod, once more if a request of it had no complete response. */
export async function orAgain<T>(work: () => Promise<T>): Promise<T> {
  return (await unlessUnanswered(work())) ?? work()
}

/**
 * The difference between a pod in a reply and the pod before, as a text; null if there is none. Fields `aside` do not
 * count.
 */
export function changesIn(before: PodView, reply: Reply, aside?: Iterable<string>): string | null {
  const pod = reply.status === 200 ? podOf(reply.json, reply.exchange.n) : null
  return pod === null ? `answer ${reply.status}` : changesOf(before, pod, aside)
}

/** The same of a pod that was read. */
export function changesOf(before: PodView, { value }: PodView, aside: Iterable<string> = []): string | null {
  const changed = changedFields(before.value, value, new Set([...liveFields, ...aside]))
  return changed.length === 0 ? null : changed.map((name) => `${name} ${show(value[name])}`).join(', ')
}
