import { validators } from '../../generated/validators.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { pollOn } from '../../harness/clock/poll.ts'
import { withoutRun } from '../../harness/common/run-names.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import {
  changedFields,
  fieldsText,
  idIn,
  type Members,
  membersOf,
  noListText,
  type PodView,
  resourcesIn,
  show,
  textIn,
} from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import { withOwnVariables } from './changing.ts'
import { pageText } from './pages.ts'
import { poll } from './poll.ts'

/** Looks at a list that may lag behind; pauses double, so the last one takes half of the bound. */
const looks = 5

/** An entry of a list. Only its id can be relied on: the description shows no list. */
interface Entry {
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
  return context.inconclusive(listing.page ?? 'the list does not show a pod that is there, so it may lack others too')
}

/** The list shows a pod. Ends the rule as inconclusive if it may be on another page. */
export async function expectListed(context: Context, id: string, expected: string) {
  const listing = await listUntil(context, id)
  if (!listing.isShown && listing.page !== null) context.inconclusive(listing.page)
  context.check('listed').that(listing.isShown, expected, 'a list without it', listing.response)
  return listing
}

/** The owner's list once it shows a pod, or when a write has had its time to be visible. `page`: why it may be on another page. */
export async function listUntil(context: Context, id: string) {
  const { clock, pods, inconclusive, target } = context
  const listAt = target.pods?.listAt ?? ''
  const unit = target.tolerances.visibleMs / (2 ** (looks - 1) - 1)
  const pauses = Array.from({ length: looks - 1 }, (_, look) => Math.ceil(unit * 2 ** look))
  const seen = await pollOn(clock, pauses, look, ({ isShown }) => isShown)
  return { ...seen, page: pageText(seen.response, seen.listed.length) }

  async function look() {
    const response = await pods.list()
    const listed = entriesOf(context, response)
    if (listed === null) return inconclusive(noListText('the list of pods', response.status, listAt, 'pods.listAt'))
    return { response, listed, isShown: listed.some((pod) => pod.id === id) }
  }
}

/** The entries of a list; null if a list was not answered. */
export function entriesOf({ target }: Context, response: ApiResponse): readonly Entry[] | null {
  const list = response.status < 300 ? resourcesIn(response.json, target.pods?.listAt ?? '') : null
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

/** True if a resource shows a member as it was sent; a platform may add something to a name. */
export function showsAsSent(shown: Members, name: string, sent: unknown): boolean {
  return name === 'name' ? isNamed(textIn(shown[name]), textIn(sent)) : show(shown[name]) === show(sent)
}

/** True if a name is another one with something added: `a-1` is not the beginning of `a-12`. */
export function isNamed(shown: string, name: string): boolean {
  const at = shown.indexOf(name)
  return at !== -1 && !/\d/.test(shown.charAt(at + name.length))
}

/**
 * Expects the list, if that is drawn, to show pods as reads do, in the described fields that its entries have. It may lag
 * behind for the tolerance `visible`. It need not show each pod here: pods.list.contains judges that.
 */
export async function expectListedAs(context: Context, clause: string, ...all: readonly PodView[]): Promise<void> {
  await expectInList(context, clause, (entries) => {
    for (const { id, value: read } of all) {
      const value = withOwnVariables(read)
      const entry = withOwnVariables(comparable(entries.find((one) => idIn(one) === id) ?? {}, read))
      const changed = changedFields(value, { ...value, ...entry }).filter((name) => name in value)
      const texts = (of: Members) => withoutRun(fieldsText(of, changed))
      if (changed.length > 0) return [texts(value), `${texts(entry)} in the list`]
    }
    return null
  })
}

/** An entry of a list without the members of a wrong type, there or in a read: the rules `pods.shape.…` judge those. */
export function comparable(entry: Members, read: Members): Members {
  const retyped = new Set([entry, read].flatMap(retypedIn))
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !retyped.has(name)))
}

function retypedIn(pod: Members): readonly (string | undefined)[] {
  const failures = validators.Pod(pod) ? [] : (validators.Pod.errors ?? [])
  return failures.flatMap(({ instancePath, keyword }) => (keyword === 'type' ? [instancePath.split('/')[1]] : []))
}

/** The same of a terminated pod, which is not in the list, or TERMINATED there. */
export async function expectUnlisted(context: Context, clause: string, id: string): Promise<void> {
  await expectInList(context, clause, (entries) => {
    const { status = 'TERMINATED' } = entries.find((one) => idIn(one) === id) ?? {}
    return status === 'TERMINATED' ? null : ['no pod in the list, or TERMINATED', `status ${show(status)} in the list`]
  })
}

/** The same if the list is drawn. */
async function expectInList(context: Context, clause: string, differenceIn: InList): Promise<void> {
  if (context.vary.draw('seenIn') === 'the list too') await expectList(context, clause, differenceIn)
}

/** The difference between entries of a list, which may be one page of it, and those that are expected; null if there is none. */
type InList = (entries: readonly Members[], isPage: boolean) => readonly [expected: string, observed: string] | null

/** Lists the pods until there is no difference, or a write must have become visible. */
export async function expectList(context: Context, clause: string, differenceIn: InList): Promise<ApiResponse> {
  const { check, inconclusive, pods, target } = context
  const listAt = target.pods?.listAt ?? ''
  const look = async () => {
    const response = await pods.list()
    const list = isSuccess(response.status) ? resourcesIn(response.json, listAt) : null
    const entries = (list ?? []).map((one) => membersOf(one) ?? {})
    return { response, list, difference: differenceIn(entries, pageText(response, entries.length) !== null) }
  }
  const isDone = ({ difference }: Awaited<ReturnType<typeof look>>) => difference === null
  const { response, list, difference } = await poll(context, target.tolerances.visibleMs, look, isDone)
  if (list === null && isSuccess(response.status))
    inconclusive(noListText('the list of pods', response.status, listAt, 'pods.listAt'))
  if (difference !== null) check(clause).that(false, ...difference, response)
  return response
}
