import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import { listOf, type PodView, podOf } from '../harness/read.ts'

/** Looks at a list that may lag behind; pauses double, so the last one takes half of the bound. */
const looks = 5

export interface Listing {
  readonly reply: Reply
  readonly listed: readonly PodView[]
}

/**
 * The owner's list once it shows a pod that is there: only then does it tell anything that another one is missing.
 * Waits at most as long as a write may take to be visible, and ends the rule as inconclusive then.
 */
export async function listHolding(context: Context, id: string): Promise<Listing> {
  const { clock, pods, inconclusive, target } = context
  const unit = target.tolerances.visibleMs / (2 ** (looks - 1) - 1)
  for (let look = 0; ; look++) {
    const reply = await pods.list()
    const listed = podsOf(context, reply)
    if (listed === null) return inconclusive(`the list was answered ${reply.status} without a list`)
    if (listed.some((pod) => pod.id === id)) return { reply, listed }
    if (look === looks - 1) return inconclusive('the list does not show a pod that is there, so it may lack others too')
    await clock.sleep(Math.ceil(unit * 2 ** look))
  }
}

/** The pods that a list shows; null where a list was not answered. */
export function podsOf({ target }: Context, reply: Reply): readonly PodView[] | null {
  const list = reply.status < 300 ? listOf(reply.json, target.pods?.listAt ?? '') : null
  return list?.flatMap((value) => podOf(value, reply.exchange.n) ?? []) ?? null
}
