import type { RunClock } from '../clock/types.ts'
import { lackIn } from '../common/lack.ts'
import { together } from '../common/together.ts'
import { ownerName } from '../exchange/owner-names.ts'
import { allPlanes, planeNamed } from '../planes/index.ts'
import type { RunServices } from '../planes/owner.ts'
import type { Removal, RemovalEnd, Remover, StillLeft } from '../planes/plane.ts'
import { isNameOf, looks, planeOf, tooEarly } from '../planes/removing.ts'
import type { Resource } from '../record/resources.ts'
import { Blocked, Inconclusive, NotApplicable, Unclaimed, Unverified } from '../rule/outcome.ts'
import { createOwner, type Owner } from './owner.ts'

/** A resource, with the id by which it was removed, and what became of it. */
export interface End {
  readonly of: Resource
  readonly end: RemovalEnd
}

export interface RemovalOptions extends Pick<Removal, 'isLater'> {
  /** False if moments on the clock of the target are unknown. */
  readonly isTimed: boolean
  /** Once it is aborted, nothing more is sent. */
  readonly over?: AbortSignal
  /** Planes whose lists are to show nothing of the run in the end, but for what it keeps. */
  readonly emptied?: readonly string[]
  /** Names that the run keeps on purpose. */
  readonly kept?: readonly string[]
}

/** How many resources are removed at once. */
const lanes = 8

/**
 * Removes what owners left behind and know the id of: deletes pods and endpoints, cancels unfinished jobs,
 * and releases keys. Everything else stays in the ledger of resources, and `sweepRun` looks for it after the run.
 * @param keeps true to keep the pods of a failed rule.
 */
export async function removeLeftovers(
  services: RunServices,
  clock: RunClock,
  owners: readonly Owner[],
  keeps: boolean,
): Promise<void> {
  const accesses = owners.flatMap((owner) => [...owner.allAccess()])
  try {
    if (clock.kind === 'replay') return
    const left = accesses.flatMap((access) => access.removables())
    const kept = left.filter(({ keep }) => keeps && keep !== undefined)
    for (const { keep } of kept) keep?.()
    const known = left.filter((one) => !kept.includes(one) && idOf(one.of) !== null)
    const name = ownerName('cleanup', owners[0]?.name)
    const ends = await removeAll(
      services,
      clock,
      name,
      known.map(({ of }) => of),
      { isLater: false, isTimed: true },
    )
    const over = new Set(ends.flatMap(({ of, end }) => (isStillLeft(end) ? [] : [of])))
    for (const { of, removed } of known) if (over.has(of)) removed()
  } finally {
    // Other rules need the workers.
    for (const access of accesses) access.releaseAll?.()
  }
}

/**
 * Removes resources of a run, eight at a time: first those whose ids are known, pods before all others and jobs last, then
 * those that have to be found. The one function behind the end of a rule, of a run, Ctrl-C and `plumbline sweep`.
 */
export async function removeAll(
  services: RunServices,
  clock: RunClock,
  name: string,
  wanted: readonly Resource[],
  { isLater, isTimed, over, emptied = [], kept = [] }: RemovalOptions,
): Promise<End[]> {
  if (wanted.length === 0 && emptied.length === 0) return []
  const actor = clock.actor(name)
  const cleaner = createOwner(services, name, actor)
  const ended = new Promise<void>((resolve) => {
    over?.addEventListener('abort', () => resolve(), { once: true })
    if (over?.aborted === true) resolve()
  })
  void ended.then(() => cleaner.release())
  const removal: Removal = {
    run: services.channel.runId,
    target: services.target,
    isLater,
    leftMs: (of) =>
      isTimed && of.kind === 'job' && of.endsMs !== undefined ? of.endsMs - clock.now() : Number.POSITIVE_INFINITY,
    mayAppear: (of) =>
      of.kind !== 'endpoint' &&
      !(isTimed && of.atMs !== undefined && clock.now() >= of.atMs + services.target.tolerances.visibleMs),
    async sleep(ms) {
      try {
        await Promise.race([actor.sleep(ms), ended])
        return over?.aborted !== true
      } catch (error) {
        if (isExpected(error)) return false
        throw error
      }
    },
  }
  const removers = new Map<string, Remover | undefined>()

  /** The remover of a plane; undefined if nothing is created there. */
  function removerOf(plane: string): Remover | undefined {
    const known = allPlanes().find((one) => one.name === plane)
    if (known !== undefined && !removers.has(plane)) removers.set(plane, cleaner.on(plane).remover?.(removal))
    return removers.get(plane)
  }

  /** The outcome of a removal or a search; without a response, the reason. */
  async function outcomeOf<T>(of: Resource, work: (remover: Remover) => Promise<T>): Promise<T | RemovalEnd> {
    const plane = planeOf(of)
    const remover = removerOf(plane)
    if (remover === undefined) return { reason: `the target file has no plane named ${plane}` }
    try {
      return await work(remover)
    } catch (error) {
      if (!isExpected(error)) throw error
      if (removal.leftMs(of) <= 0) return 'gone'
      if (over?.aborted === true) return { reason: 'the command was interrupted first' }
      return { reason: withoutId((error as Error).message, idOf(of), of.kind === 'job' ? '{job}' : '{id}') }
    }
  }

  const ends = new Map<Resource, End>()

  /** Removes a resource by each of its ids: a name that was sent twice may have created two. */
  async function removeOne(of: Resource, ids: readonly string[]): Promise<void> {
    let last: End = { of, end: 'gone' }
    for (const id of ids) {
      const end = await outcomeOf(of, (remover) => remover.remove(of, id))
      // One that may appear is looked at again, unless another one is certain to be left.
      if (isStillLeft(end) || (end !== 'gone' && last.end !== 'unseen')) last = { of: withId(of, id), end }
      if (isStillLeft(end)) break
    }
    ends.set(of, last)
  }

  async function removeEach(all: readonly Found[], atOnce = lanes): Promise<void> {
    const queue = [...all]
    const line = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await removeOne(...next)
    }
    await together(atOnce, line, new AbortController())
    // At the limit of open files, eight connections may not be had where one is.
    const unsent = all.filter(([of]) => lackIn(reasonOf(ends.get(of)?.end)) !== null)
    if (unsent.length > 0 && atOnce > 1) await removeEach(unsent, 1)
  }

  /** Does something again within the tolerance `visible`, as long as it is needed; false if time cannot pass. */
  async function againWhile(isNeeded: () => boolean, again: () => Promise<void>): Promise<boolean> {
    for (let n = 1; n < looks && isNeeded(); n++) {
      if (!(await removal.sleep(services.target.tolerances.visibleMs / (looks - 1)))) return false
      await again()
    }
    return true
  }

  /** Looks again, once everything else is removed, at what may not have been visible yet. */
  async function removeLate(all: readonly Found[]): Promise<void> {
    const unseen = () => all.filter(([of]) => ends.get(of)?.end === 'unseen')
    const hasPassed = await againWhile(
      () => unseen().length > 0,
      () => removeEach(unseen()),
    )
    for (const [of] of unseen()) ends.set(of, { of, end: hasPassed ? 'gone' : tooEarly })
  }

  /** Finds in the list of a plane all of the run that is neither kept nor known to be left. */
  async function listedOn(plane: string): Promise<Found[]> {
    const any: Resource = { kind: 'resource', plane, name: '', id: null, state: 'created' }
    const listed = await outcomeOf(any, async (remover) => (await remover.listed?.()) ?? [])
    if (!Array.isArray(listed)) return []
    const left = new Set([...ends.values()].flatMap(({ of, end }) => (isStillLeft(end) ? [idOf(of)] : [])))
    return (listed as (readonly [string, string])[]).flatMap(([shown, id]): Found[] => {
      if (left.has(id) || kept.some((one) => isNameOf(one, shown))) return []
      const known = [...ends].find(([, { of }]) => idOf(of) === id && planeOf(of) === plane)?.[0]
      const line = planeNamed(plane).creates?.line ?? { kind: 'resource', plane }
      return [[known ?? { ...line, name: shown, id, state: 'created' }, [id]]]
    })
  }

  /** Removes once more all that was removed and is still listed. After the tolerance `visible` it is left. */
  async function emptyLists(): Promise<void> {
    const look = async () => (await Promise.all(emptied.map(listedOn))).flat()
    let listed = await look()
    const hasPassed = await againWhile(
      () => listed.length > 0,
      async () => {
        await removeEach(listed)
        listed = await look()
      },
    )
    for (const [of, [id = '']] of hasPassed ? listed : [])
      ends.set(of, { of: withId(of, id), end: { reason: 'reported as removed, but still listed' } })
  }

  async function find(of: Resource): Promise<Found[]> {
    const found = await outcomeOf(of, (remover) => remover.find(of))
    if (Array.isArray(found)) return [[of, found]]
    ends.set(of, { of, end: found as RemovalEnd })
    return []
  }

  try {
    const ordered = wanted.toSorted((a, b) => placeOf(a) - placeOf(b))
    const [known = [], unknown = []] = [false, true].map((isSought) =>
      ordered.filter((of) => (idOf(of) === null) === isSought),
    )
    const identified = known.map((of): Found => [of, [idOf(of) ?? '']])
    await removeEach(identified)
    const found = (await Promise.all(unknown.map(find))).flat()
    await removeEach(found)
    await removeLate([...identified, ...found])
    await emptyLists()
    const others = [...ends].filter(([of]) => !ordered.includes(of)).map(([, end]) => end)
    return [...ordered.flatMap((of) => ends.get(of) ?? []), ...others]
  } finally {
    actor.done()
  }
}

type Found = readonly [of: Resource, ids: readonly string[]]

export function isStillLeft(end: RemovalEnd): end is StillLeft {
  return typeof end === 'object'
}

function reasonOf(end: RemovalEnd | undefined): string {
  return end !== undefined && isStillLeft(end) ? end.reason : ''
}

/** The id by which a resource is removed; null if it was never learned. */
function idOf(of: Resource): string | null {
  return of.kind === 'endpoint' ? of.endpoint : of.id
}

/** A resource with the id that was found for it; itself if its id was known. */
function withId(of: Resource, id: string): Resource {
  return idOf(of) === null ? ({ ...of, id } as Resource) : of
}

/** Pods go first because they cost most, jobs last because they end by themselves. */
function placeOf(of: Resource): number {
  if (of.kind === 'job' || of.kind === 'endpoint') return Number.MAX_SAFE_INTEGER
  return allPlanes().findIndex(({ name }) => name === planeOf(of))
}

function isExpected(error: unknown): boolean {
  return [Inconclusive, Blocked, Unclaimed, NotApplicable, Unverified].some((kind) => error instanceof kind)
}

/** A reason with an id of the path as a placeholder, so that it is the same text for all that have the same reason. */
export function withoutId(reason: string, id: string | null, placeholder: string): string {
  if (id === null) return reason
  const segment = encodeURIComponent(id).replace(/[.*()]/g, '\\$&')
  return reason.replace(new RegExp(`(?<=/)${segment}(?![\\w.~%!'()*-])`, 'g'), placeholder)
}
