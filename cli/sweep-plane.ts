import { isSuccess, jsonOf } from '../harness/exchange/exchange.ts'
import { listOf, membersOf, noListText, show } from '../harness/exchange/read.ts'
import { allPlanes, sectionOf } from '../harness/planes/index.ts'
import { createRedactor } from '../harness/record/redact.ts'
import { TransportFailure } from '../harness/transport/types.ts'
import { secretsOf } from '../target/describe.ts'
import type { Target } from '../target/types.ts'
import { withoutId } from './leftovers.ts'
import type { Resource, RunLedger } from './runs.ts'
import type { Patience } from './sweep-patience.ts'

/** The end of a resource; `gone`: it was over before, `never`: none was ever seen. */
export interface End {
  readonly of: Resource
  readonly end: 'removed' | 'gone' | 'never' | Left
}

/** It may still be there, with the reason. */
export interface Left {
  readonly reason: string
}

export function isCreated(of: Resource): of is Created {
  return of.kind === 'pod' || of.kind === 'resource'
}

export function isLeft(end: End['end']): end is Left {
  return typeof end === 'object'
}

/** The ledger that is swept, and the way to its target. */
export interface Sweeping {
  readonly ledger: RunLedger
  readonly target: Target
  readonly patience: Patience
}

/** A resource that is created on a plane. */
type Created = Extract<Resource, { kind: 'pod' | 'resource' }>

/** How often a list is read for a resource whose creation was not answered: it may come into being late. */
const looks = 3

/** Removes what a run has left on one plane: by id if it is known, else by the exact name in the list. */
export async function sweepPlane(
  name: string,
  wanted: readonly Created[],
  { target, patience, ledger }: Sweeping,
): Promise<End[]> {
  const plane = allPlanes().find((one) => one.name === name)
  const section = sectionOf(target, name)
  const creates = plane?.creates ?? null
  if (plane === undefined || section === null || creates === null) {
    const reason = `the target file has no address of ${plane?.title ?? `a plane named ${name}`}`
    return wanted.map((of) => ({ of, end: { reason } }))
  }
  const send = patience.client(plane, section)
  const clean = createRedactor(secretsOf(target)).text

  /** Name and id of every resource in the list that has both; or why the list cannot be read. */
  const list = async (): Promise<Listed> => {
    const { status, body } = await send(creates.list)
    const at = creates.listAt(section)
    const all = isSuccess(status) ? listOf(jsonOf(body), at) : null
    if (all === null) return noListText(`the list of ${creates.kind}s`, status, at)
    return all
      .map((one) => [membersOf(one)?.name, membersOf(one)?.id])
      .filter((entry): entry is [string, string] => entry.every((part) => typeof part === 'string'))
  }

  /** Removes a resource that was created under this name. */
  const remove = async (id: string, given: string): Promise<'removed' | 'gone' | Left> => {
    const left = (reason: string) => ({ reason: withoutId(reason, id, '{id}') })
    const seen = await send(creates.get, { ids: { id } }).catch(unanswered)
    if (typeof seen !== 'string' && isGone(seen.status)) return 'gone'
    const members = typeof seen !== 'string' && seen.status === 200 ? membersOf(jsonOf(seen.body)) : null
    if (members !== null && creates.isGone(members)) return 'gone'
    if (typeof members?.name === 'string' && !isOurs(members.name, given, ledger.run))
      return left(`its id belongs to a ${creates.kind} named ${clean(show(members.name))}, which was not removed`)
    const removed = await send(creates.remove, { ids: { id } }).catch(unanswered)
    if (typeof removed === 'string') return left(removed)
    if (isSuccess(removed.status)) return 'removed'
    if (isGone(removed.status)) return 'gone'
    return left(`DELETE ${section.paths[creates.remove]} answered ${removed.status}`)
  }

  const take = async (of: Created, ids: readonly string[]): Promise<End> => {
    let end: End['end'] = ids.length === 0 ? 'never' : 'gone'
    for (const id of ids) {
      const one = await remove(id, of.name)
      if (isLeft(one)) return { of: { ...of, id }, end: one }
      if (one === 'removed') end = one
    }
    return { of, end }
  }

  const sought = wanted.filter(({ id }) => id === null)
  const ends: End[] = []
  for (const of of wanted) if (of.id !== null) ends.push(await take(of, [of.id]))
  const { found, fault } = await idsOf(list, sought, patience, target.tolerances.visibleMs)
  for (const of of sought) {
    const ids = found.get(of.name)
    if (ids === undefined && fault !== null) ends.push({ of, end: { reason: fault } })
    else ends.push(await take(of, ids ?? []))
  }
  return ends
}

type Listed = readonly (readonly [name: string, id: string])[] | string

function isGone(status: number): boolean {
  return status === 404 || status === 410
}

/** True if this run may have named the pod: rules rename their pods, and a target may alter names. */
function isOurs(name: string, given: string, run: string): boolean {
  const of = /^plumbline-(r[0-9a-z]{10})(?![0-9a-z])/i.exec(name)?.[1]
  return (
    name === given || (name.toLowerCase().startsWith('plumbline-') && (of === undefined || of.toLowerCase() === run))
  )
}

/** Why a call had no response. */
export function unanswered(error: unknown): string {
  if (error instanceof TransportFailure) return error.message
  throw error
}

/**
 * Ids of resources whose creation had no response or was refused, by their exact names, to which a target may add a
 * word; a refused one is searched only once. `fault` says why the search for missing ones ended early.
 */
async function idsOf(
  list: () => Promise<Listed>,
  sought: readonly Created[],
  { sleep }: Patience,
  visibleMs: number,
): Promise<{ readonly found: ReadonlyMap<string, string[]>; readonly fault: string | null }> {
  const found = new Map<string, string[]>()
  for (let look = 0; look < looks && sought.some(({ name }) => !found.has(name)); look++) {
    if (look > 0 && !(await sleep(visibleMs / (looks - 1)))) {
      return { found, fault: 'it may appear late, and time could not pass until then' }
    }
    const listed = await list().catch(unanswered)
    if (typeof listed === 'string') return { found, fault: listed }
    for (const { name, state } of sought) {
      const ids = listed.filter(([given]) => given === name || given.startsWith(`${name} `)).map(([, id]) => id)
      if (ids.length > 0 || state === 'refused') found.set(name, ids)
    }
  }
  return { found, fault: null }
}
