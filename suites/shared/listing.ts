import type { Reply } from '../../harness/client/reply.ts'
import { idIn, listOf, membersOf, noListText, textIn } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'

/** Looks at a list that may lag behind; pauses double, so the last one takes half of the bound. */
const looks = 5

/** An entry of a list. Only its id can be relied on: the description shows no list. */
export interface Entry {
  readonly id: string
  readonly name: unknown
}

/**
 * The owner's list once it shows a pod that is there: only then does it tell anything that another one is missing.
 * Waits at most as long as a write may take to be visible, and ends the rule as inconclusive then.
 */
export async function listHolding(context: Context, id: string) {
  const listing = await listUntil(context, id)
  if (listing.isShown) return listing
  return context.inconclusive('the list does not show a pod that is there, so it may lack others too')
}

/** The owner's list once it shows a pod, or when a write has had its time to be visible. */
export async function listUntil(context: Context, id: string) {
  const { clock, pods, inconclusive, target } = context
  const listAt = target.pods?.listAt ?? ''
  const unit = target.tolerances.visibleMs / (2 ** (looks - 1) - 1)
  for (let look = 0; ; look++) {
    const reply = await pods.list()
    const listed = entriesOf(context, reply)
    if (listed === null) return inconclusive(noListText('the list of pods', reply.status, listAt, 'pods.listAt'))
    const isShown = listed.some((pod) => pod.id === id)
    if (isShown || look === looks - 1) return { reply, listed, isShown }
    await clock.sleep(Math.ceil(unit * 2 ** look))
  }
}

/** The entries of a list; null if a list was not answered. */
export function entriesOf({ target }: Context, reply: Reply): readonly Entry[] | null {
  const list = reply.status < 300 ? listOf(reply.json, target.pods?.listAt ?? '') : null
  if (list === null) return null
  return list.flatMap((value) => {
    const id = idIn(value)
    return id === null ? [] : [{ id, name: membersOf(value)?.name }]
  })
}

/** The entries of these names, which a platform may have made unique; those that do not show theirs are read. */
export async function named(
  { pods }: Context,
  listed: readonly Entry[],
  names: readonly string[],
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const found: { id: string; name: string }[] = []
  for (const { id, name: given } of names.length === 0 ? [] : listed) {
    const shown = textIn(given ?? membersOf((await pods.get(id)).json)?.name)
    const name = names.find((one) => isNamed(shown, one))
    if (name !== undefined) found.push({ id, name })
  }
  return found
}

/** True if a name is another one with something added: `a-1` is not the beginning of `a-12`. */
export function isNamed(shown: string, name: string): boolean {
  const at = shown.indexOf(name)
  return at !== -1 && !/\d/.test(shown.charAt(at + name.length))
}
