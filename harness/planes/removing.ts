import { runIn } from '../common/run-names.ts'
import { isSuccess } from '../exchange/exchange.ts'
import { idOrNumberIn, membersOf, noListText, resourcesIn, show } from '../exchange/read.ts'
import type { Resource } from '../record/resources.ts'
import { outageStatuses } from '../rule/check.ts'
import { Unanswered } from '../rule/outcome.ts'
import { endIn, endText } from '../tool/end.ts'
import { sectionOf } from './index.ts'
import type { Plane, PlaneAccess, Removal, RemovalEnd, Remover } from './plane.ts'

/** How often something that may come into being late is looked for. */
export const looks = 3

/** The statuses of a resource that is not there. */
export const goneStatuses: ReadonlySet<number> = new Set([404, 410])

/** Looks again and again, within the tolerance `visible`; whoever looks meanwhile shares the same looks. */
export function createLooks<Seen>(look: () => Promise<Seen>, { target, sleep }: Pick<Removal, 'target' | 'sleep'>) {
  const all: Promise<Seen | null>[] = []
  async function next(before: Promise<Seen | null> | undefined): Promise<Seen | null> {
    if (before !== undefined) {
      await before
      if (!(await sleep(target.tolerances.visibleMs / (looks - 1)))) return null
    }
    return look()
  }
  /** Yields the outcome of each look; null if time cannot pass until then. */
  return async function* (): AsyncGenerator<Seen | null> {
    for (let n = 0; n < looks; n++) {
      if (all.length === n) all.push(next(all[n - 1]))
      yield await (all[n] ?? null)
    }
  }
}

/** The end of what may appear late, if time cannot pass until then. */
export const tooEarly = { reason: 'it may appear late, and time could not pass until then' }

/** Removes what was created on a plane: by its id if it is known, else by the exact name in the list. */
export function createRemover(plane: Plane, { as }: Pick<PlaneAccess, 'as'>, removal: Removal): Remover {
  const { creates } = plane
  const section = sectionOf(removal.target, plane.name)
  const missing = { reason: `the target file has no address of ${plane.title}` }
  if (creates === null || section === null) return { remove: async () => missing, find: async () => missing }
  const { get, getNeeds = '', isGone, kind, list, listAt, remove, removeToo, unlock } = creates
  const at = listAt(section)

  /** Name and id of everything in the list, and if it is gone; or why the list cannot be read. */
  async function readList(): Promise<
    readonly (readonly [name: string, id: string | null, isOver: boolean])[] | string
  > {
    const { status, json } = await as('full').call(list)
    const all = isSuccess(status) ? resourcesIn(json, at) : null
    if (all === null) return noListText(`the list of ${kind}s`, status, at)
    return all.flatMap((one) => {
      const members = membersOf(one)
      const name = members?.name
      return members !== null && typeof name === 'string' ? [[name, idOrNumberIn(one), isGone(members)] as const] : []
    })
  }

  const listings = createLooks(readList, removal)

  /** The end that it came to before, or why it is left alone; null if it is to be removed. */
  async function look({ name }: Created, id: string, mayAppear: boolean): Promise<RemovalEnd | null> {
    if (getNeeds in removal.target.absent) {
      const all = await readList()
      if (typeof all === 'string') return { reason: all }
      const [shown] = all.find(([, one]) => one === id) ?? []
      return shown === undefined ? endOf(404, mayAppear) : unlessOurs(shown, name)
    }
    const { status, json } = await as('full').call(get, { ids: { id } })
    if (goneStatuses.has(status)) return endOf(status, mayAppear)
    const members = status === 200 ? membersOf(json) : null
    if (members === null) return null
    if (isGone(members)) return 'gone'
    return unlessOurs(members.name, name)
  }

  /** Null if this run may have given the shown name, or none is shown; else why the resource is left alone. */
  function unlessOurs(shown: unknown, name: string): RemovalEnd | null {
    if (typeof shown !== 'string' || isOurs(shown, name, removal.run)) return null
    return { reason: `its id belongs to a ${kind} named ${show(shown)}, which was not removed` }
  }

  /** Ids whose removal succeeded. If one is to be removed again, that was in vain. */
  const answered = new Set<string>()

  /** Removes in the other way, if there is one; true if that succeeds. */
  async function removesToo(id: string): Promise<boolean> {
    if (removeToo === undefined) return false
    const { operation, body } = removeToo
    return isSuccess((await as('full').call(operation, { ids: { id }, body, repeats: true })).status)
  }

  /** Unlocks it and removes it, if it can be unlocked; true if that succeeds. */
  async function removesUnlocked(id: string): Promise<boolean> {
    const call = section === null ? null : (unlock?.(section) ?? null)
    if (call === null) return false
    const { operation, body } = call
    if (!isSuccess((await as('full').call(operation, { ids: { id }, body, repeats: true })).status)) return false
    return isSuccess((await as('full').call(remove, { ids: { id }, repeats: true })).status)
  }

  return {
    async remove(of, id) {
      const mayAppear = removal.mayAppear(of)
      const seen = removal.isLater ? await look(of as Created, id, mayAppear) : null
      if (seen !== null) return seen
      if (answered.has(id) && (await removesToo(id))) return 'removed'
      const { status, json } = await as('full').call(remove, { ids: { id }, repeats: true })
      if (isSuccess(status)) {
        answered.add(id)
        return 'removed'
      }
      if (goneStatuses.has(status)) return endOf(status, mayAppear)
      // It was sent again for a while.
      if (outageStatuses.has(status)) throw new Unanswered('a gateway answers removals')
      const isRemoved = (await removesToo(id)) || (await removesUnlocked(id))
      if (isRemoved) return 'removed'
      if (plane.scheme === undefined) return { reason: `DELETE ${section.paths[remove]} answered ${status}` }
      // Removals that fail for one reason share a line.
      return { reason: `${plane.name}.remove ended with ${endText(endIn(json)).replaceAll(id, 'NAME')}` }
    },
    async find(of) {
      const { name, state } = of as Created
      for await (const listed of listings()) {
        if (listed === null) return tooEarly
        if (typeof listed === 'string') return { reason: listed }
        const found = listed.filter(([given]) => isNameOf(name, given))
        if (found.some(([, id]) => id === null))
          return { reason: `the list of ${kind}s shows it without an id that an address can hold` }
        if (found.length > 0) return found.flatMap(([, id]) => id ?? [])
        // A refused creation is looked for once.
        if (state === 'refused') break
      }
      return 'never'
    },
    async listed() {
      const all = await readList()
      if (typeof all === 'string') return []
      return all.flatMap(([name, id, isOver]) =>
        id === null || isOver || runIn(name) !== removal.run ? [] : [[name, id] as const],
      )
    },
  }
}

/**
 * True if a list shows a resource of this name: a target may add a word to it, and rules do when they rename a pod. Stricter
 * than `isNamed`, because what is found is deleted.
 */
export function isNameOf(name: string, shown: string): boolean {
  return shown === name || (/^[ -]/.test(shown.slice(name.length)) && shown.startsWith(name))
}

/** Only a 410 says that the resource existed; a 404 may come too early. */
function endOf(status: number, mayAppear: boolean): RemovalEnd {
  return status !== 410 && mayAppear ? 'unseen' : 'gone'
}

/** The plane of a resource. A line of kind `pod` names none. */
export function planeOf(of: Resource): string {
  return of.kind === 'pod' ? 'pods' : of.kind === 'resource' ? (of.plane ?? 'pods') : 'queue'
}

type Created = Extract<Resource, { readonly kind: 'pod' | 'resource' }>

/** True if this run may have named it: rules rename their pods, and a target may alter names. */
function isOurs(name: string, given: string, run: string): boolean {
  const of = runIn(name)
  return name === given || (name.toLowerCase().startsWith('plumbline-') && (of === undefined || of === run))
}
