import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDirect } from '../harness/client/direct.ts'
import { isSuccess, jsonOf } from '../harness/exchange/exchange.ts'
import { listOf, membersOf, show } from '../harness/exchange/read.ts'
import type { ResourceLine } from '../harness/fixtures/resources.ts'
import { allPlanes, sectionOf } from '../harness/planes/index.ts'
import type { Creates } from '../harness/planes/plane.ts'
import { createRedactor } from '../harness/record/redact.ts'
import { type Transport, TransportFailure } from '../harness/transport/types.ts'
import { secretsOf } from '../target/describe.ts'
import type { Target } from '../target/types.ts'
import { version } from './home.ts'
import type { Leftover } from './leftovers.ts'
import { deleteLedger, type LedgerResource, type RunLedger } from './runs.ts'
import { createPatience, type Patience, type SweepEnd } from './sweep-patience.ts'
import { type Cancelled, cancelJobs, expiryLine, purgeEndpoint } from './sweep-queue.ts'

export interface Swept {
  readonly run: string
  /** Names of the pods that were removed. */
  readonly removed: readonly string[]
  /** Names of those that were already gone. */
  readonly gone: readonly string[]
  /** Names of creations whose pod was never seen. */
  readonly never: readonly string[]
  /** Number of cancelled jobs, without those that had ended before. */
  readonly jobs: number
  /** The sentence about jobs that cannot be cancelled, with their latest end; null if there are none. */
  readonly expiring: string | null
  /** Ids of endpoints whose queue was purged after a load. */
  readonly purged: readonly string[]
  /** Names of pods that the run keeps on purpose. */
  readonly kept: readonly string[]
  /** Resources that could not be removed; they stay in the ledger. */
  readonly failed: readonly Leftover[]
}

export interface SweepOptions {
  readonly ledger: RunLedger
  readonly target: Target
  /** True if pods that the run kept on purpose stay. */
  readonly leaveKept: boolean
  /** The window scale that the reference is served with; default 1. */
  readonly windowScale?: number
  /** Present if the sweep is part of a command that can be interrupted. */
  readonly end?: SweepEnd
}

/** Reads of the list for a pod whose creation had no response: it may appear late. */
const looks = 3

/**
 * Removes only what is in a run's ledger: pods by id if known, else by the exact name in the list;
 * jobs by id; the queue of an endpoint that a load has filled, if the target file marks it dedicated. Deletes the
 * ledger once nothing is left. The one function behind Ctrl-C, a crash and `plumbline sweep`.
 */
export async function sweepRun({ ledger, target, leaveKept, windowScale = 1, end }: SweepOptions): Promise<Swept> {
  const kept = leaveKept ? ledger.left.filter(({ state }) => state === 'kept') : []
  const wanted = ledger.left.filter((pod) => !kept.includes(pod))
  const removed: string[] = []
  const gone: string[] = []
  const never: string[] = []
  const failed: Leftover[] = []
  const purged: string[] = []
  let jobs: Cancelled = { cancelled: [], over: [], failed: [], expiring: [] }
  if (wanted.length > 0 || ledger.jobs.length > 0 || ledger.endpoints.length > 0) {
    const patience = createPatience(target, end)
    try {
      for (const one of ledger.endpoints) {
        const full = await purgeEndpoint(one, { target, patience, windowScale })
        if (full === null) purged.push(one.endpoint)
        else failed.push(full)
      }
      jobs = await cancelJobs(ledger, target, patience.patient, Date.now())
      failed.push(...jobs.failed)
      for (const plane of new Set(wanted.map(({ plane }) => plane))) {
        const ofPlane = wanted.filter((one) => one.plane === plane)
        await sweepPlane(ofPlane, createRemover(patience.patient, plane, target, ledger.run), patience, {
          removed: (name) => removed.push(name),
          gone: (name) => gone.push(name),
          never: (name) => never.push(name),
          failed: (name, id, reason) => failed.push({ kind: kindOf(plane), name, id, reason, endsMs: null }),
        })
      }
    } finally {
      await patience.close()
    }
  }
  const swept = {
    run: ledger.run,
    removed,
    gone,
    never,
    jobs: jobs.cancelled.length,
    expiring: expiryLine(jobs.expiring, target, Date.now()),
    purged,
    kept: kept.map(({ name }) => name),
    failed,
  }
  const over = new Set([...removed, ...gone, ...never])
  if (failed.length === 0 && kept.length === 0) deleteLedger(ledger)
  else
    note(ledger, {
      resources: wanted.filter(({ name }) => over.has(name)),
      jobs: [...jobs.cancelled, ...jobs.over],
      purged,
    })
  return swept
}

interface Ends {
  removed(name: string): void
  gone(name: string): void
  never(name: string): void
  failed(name: string, id: string | null, reason: string): void
}

/** Removes what a run has left on one plane: by id where it is known, else by the exact name in the list. */
async function sweepPlane(
  wanted: readonly LedgerResource[],
  remover: Remover,
  patience: Patience,
  ends: Ends,
): Promise<void> {
  async function take(name: string, ids: readonly string[]): Promise<void> {
    const removals = await inTurn(ids, (id) => remover.remove(id, name))
    const fault = removals.find(({ reason }) => reason !== null)
    if (fault !== undefined) ends.failed(name, fault.id, fault.reason ?? '')
    else if (ids.length === 0) ends.never(name)
    else if (removals.every(({ wasGone }) => wasGone)) ends.gone(name)
    else ends.removed(name)
  }
  for (const { name, id } of wanted) if (id !== null) await take(name, [id])
  const sought = wanted.filter(({ id }) => id === null)
  const { found, fault } = await idsOf(remover, sought, patience)
  for (const { name } of sought) {
    const ids = found.get(name)
    if (ids === undefined && fault !== null) ends.failed(name, null, fault)
    else await take(name, ids ?? [])
  }
}

/** Names of the resources of a plane. */
export function kindOf(plane: string): string {
  return allPlanes().find(({ name }) => name === plane)?.creates?.kind ?? `resource of ${plane}`
}

function lineOf(plane: string): Creates['line'] {
  return allPlanes().find(({ name }) => name === plane)?.creates?.line ?? { kind: 'resource', plane }
}

/** A list that cannot be read: the resources of the run cannot be found in it. */
class Refused extends Error {
  override readonly name = 'Refused'
}

interface Remover {
  /** How long a creation may take to be in the list, ms. */
  readonly visibleMs: number
  /** Name and id of every resource in the list that has both. */
  list(): Promise<readonly (readonly [name: string, id: string])[]>
  /** Removes a resource that was created under this name. */
  remove(id: string, name: string): Promise<Removal>
}

interface Removal {
  readonly id: string
  /** Why it may still exist; null if it is gone. */
  readonly reason: string | null
  readonly wasGone: boolean
}

async function inTurn<One, T>(all: readonly One[], work: (one: One) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  for (const one of all) done.push(await work(one))
  return done
}

function createRemover(transport: Transport, name: string, target: Target, run: string): Remover {
  const clean = createRedactor(secretsOf(target)).text
  const plane = allPlanes().find((one) => one.name === name)
  const section = sectionOf(target, name)
  const creates = plane?.creates ?? null
  if (plane === undefined || section === null || creates === null) {
    const refused = new Refused(`the target file has no address of ${plane?.title ?? `a plane named ${name}`}`)
    return {
      visibleMs: 0,
      list: () => Promise.reject(refused),
      remove: async (id) => ({ id, reason: refused.message, wasGone: false }),
    }
  }
  const userAgent = `plumbline/${version()} (sweep)`
  const send = createDirect({ transport, plane, section, token: target.keys.full ?? '', userAgent })
  return {
    visibleMs: target.tolerances.visibleMs,
    async list() {
      const { status, body } = await send(creates.list)
      const all = status === 200 ? listOf(jsonOf(body), creates.listAt(section)) : null
      if (all === null) throw new Refused(`the list of ${creates.kind}s could not be read (answer ${status})`)
      return all
        .map((one) => [membersOf(one)?.name, membersOf(one)?.id])
        .filter((entry): entry is [string, string] => entry.every((part) => typeof part === 'string'))
    },
    async remove(id, name) {
      const left = (reason: string): Removal => ({
        id,
        reason: reason.replaceAll(encodeURIComponent(id), '{id}'),
        wasGone: false,
      })
      const seen = await send(creates.get, { ids: { id } }).catch(unanswered)
      if (isGone(seen.status)) return { id, reason: null, wasGone: true }
      const members = 'body' in seen && seen.status === 200 ? membersOf(jsonOf(seen.body)) : null
      if (members !== null && creates.isGone(members)) return { id, reason: null, wasGone: true }
      if (typeof members?.name === 'string' && !isOurs(members.name, name, run))
        return left(`its id belongs to a ${creates.kind} named ${clean(show(members.name))}, which was not removed`)
      const { status } = await send(creates.remove, { ids: { id } }).catch(unanswered)
      if (typeof status === 'string') return left(status)
      if (isSuccess(status)) return { id, reason: null, wasGone: false }
      return isGone(status)
        ? { id, reason: null, wasGone: true }
        : left(`DELETE ${section.paths[creates.remove]} answered ${status}`)
    },
  }
}

function isGone(status: number | string): boolean {
  return status === 404 || status === 410
}

/** True if this run may have named the pod: rules rename their pods, and a target may alter names. */
function isOurs(name: string, given: string, run: string): boolean {
  const of = /^plumbline-(r[0-9a-z]{10})(?![0-9a-z])/i.exec(name)?.[1]
  return (
    name === given || (name.toLowerCase().startsWith('plumbline-') && (of === undefined || of.toLowerCase() === run))
  )
}

/** Why a call had no response, in place of its status. */
function unanswered(error: unknown): { readonly status: string } {
  if (error instanceof TransportFailure || error instanceof Refused) return { status: error.message }
  throw error
}

/**
 * Ids of pods whose creation had no response or was refused, by their exact names; a refused one is searched
 * only once. `fault` says why the search for missing ones ended early.
 */
async function idsOf(
  remover: Remover,
  sought: readonly LedgerResource[],
  { sleep }: Patience,
): Promise<{ readonly found: ReadonlyMap<string, string[]>; readonly fault: string | null }> {
  const found = new Map<string, string[]>()
  for (let look = 0; look < looks && sought.some(({ name }) => !found.has(name)); look++) {
    if (look > 0 && !(await sleep(remover.visibleMs / (looks - 1)))) {
      return { found, fault: 'it may appear late, and time could not pass until then' }
    }
    const listed = await remover.list().catch((error: unknown) => {
      if (error instanceof TransportFailure || error instanceof Refused) return error
      throw error
    })
    if (listed instanceof Error) return { found, fault: listed.message }
    for (const { name, state } of sought) {
      const ids = listed.filter(([given]) => given === name).map(([, id]) => id)
      if (ids.length > 0 || state === 'refused') found.set(name, ids)
    }
  }
  return { found, fault: null }
}

interface Done {
  readonly resources: readonly LedgerResource[]
  readonly jobs: readonly string[]
  readonly purged: readonly string[]
}

function note({ folder, jobs, endpoints }: RunLedger, done: Done): void {
  const lines: ResourceLine[] = [
    ...done.resources.map(({ plane, name }): ResourceLine => ({ ...lineOf(plane), name, id: null, state: 'removed' })),
    ...jobs
      .filter(({ name }) => done.jobs.includes(name))
      .map(({ endsMs: _, ...one }): ResourceLine => ({ kind: 'job', ...one, state: 'removed' })),
    ...endpoints
      .filter(({ endpoint }) => done.purged.includes(endpoint))
      .map((one): ResourceLine => ({ kind: 'endpoint', ...one, state: 'purged' })),
  ]
  appendFileSync(join(folder, 'resources.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}
