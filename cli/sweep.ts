import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSuccess, jsonOf, type PodOperation, type WireResponse } from '../harness/exchange/exchange.ts'
import { listOf, membersOf, show } from '../harness/exchange/read.ts'
import type { ResourceLine } from '../harness/fixtures/resources.ts'
import { createRedactor } from '../harness/record/redact.ts'
import { type Transport, TransportFailure } from '../harness/transport/types.ts'
import { secretsOf } from '../target/describe.ts'
import type { PodPlane, Target } from '../target/types.ts'
import { version } from './home.ts'
import { type Leftover, withoutId } from './leftovers.ts'
import { deleteLedger, type LedgerPod, type RunLedger } from './runs.ts'
import { createPatience, type Patience, type SweepEnd } from './sweep-patience.ts'
import { type Cancelled, cancelJobs, expiryLine, purgeEndpoint } from './sweep-queue.ts'

export interface Swept {
  readonly run: string
  /** Names of the pods that were removed. */
  readonly removed: readonly string[]
  /** Names of those that were gone already. */
  readonly gone: readonly string[]
  /** Names of creations that were sent and of which no pod was ever seen. */
  readonly never: readonly string[]
  /** How many jobs were cancelled; those that had ended before are not among them. */
  readonly jobs: number
  /** What is said of jobs that nobody can cancel, with the time by which they are gone; null where there are none. */
  readonly expiring: string | null
  /** Ids of endpoints whose queue was purged of the jobs of a load. */
  readonly purged: readonly string[]
  /** Names of pods that were left alone because the run was told to keep them. */
  readonly kept: readonly string[]
  /** What could not be removed; the ledger keeps it. */
  readonly failed: readonly Leftover[]
}

export interface SweepOptions {
  readonly ledger: RunLedger
  readonly target: Target
  /** Whether pods that the run kept on purpose stay. */
  readonly leaveKept: boolean
  /** The windows of a reference that is served with the same; 1 unless given. */
  readonly windowScale?: number
  /** Where the sweep is part of a command that may be told to end. */
  readonly end?: SweepEnd
}

/** How often a list is read for a pod whose creation was not answered: it may come into being late. */
const looks = 3

/**
 * Removes what a run's ledger names, and nothing else: pods by id where it is known, else by the exact name in the list;
 * jobs by id; what waits on an endpoint that a load has filled, where the target file marks it dedicated. Deletes the
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
      const remover = createRemover(patience.patient, target, ledger.run)
      const fail = (name: string, id: string | null, reason: string) =>
        failed.push({ kind: 'pod', name, id, reason, endsMs: null })
      const take = async (name: string, ids: readonly string[]): Promise<void> => {
        const ends = await inTurn(ids, (id) => remover.remove(id, name))
        const fault = ends.find(({ reason }) => reason !== null)
        if (fault !== undefined) fail(name, fault.id, fault.reason ?? '')
        else if (ids.length === 0) never.push(name)
        else (ends.every(({ wasGone }) => wasGone) ? gone : removed).push(name)
      }
      for (const one of ledger.endpoints) {
        const full = await purgeEndpoint(one, { target, patience, windowScale })
        if (full === null) purged.push(one.endpoint)
        else failed.push(full)
      }
      jobs = await cancelJobs(ledger, target, patience.patient, Date.now())
      failed.push(...jobs.failed)
      for (const { name, id } of wanted) if (id !== null) await take(name, [id])
      const sought = wanted.filter(({ id }) => id === null)
      const { found, fault } = await idsOf(remover, sought, patience, target.tolerances.visibleMs)
      for (const { name } of sought) {
        const ids = found.get(name)
        if (ids === undefined && fault !== null) fail(name, null, fault)
        else await take(name, ids ?? [])
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
  if (failed.length === 0 && kept.length === 0) deleteLedger(ledger)
  else note(ledger, { pods: [...removed, ...gone, ...never], jobs: [...jobs.cancelled, ...jobs.over], purged })
  return swept
}

/** A list that cannot be read: the pods of the run cannot be found in it. */
class Refused extends Error {
  override readonly name = 'Refused'
}

interface Remover {
  /** Name and id of every pod in the list that has both. */
  list(): Promise<readonly (readonly [name: string, id: string])[]>
  /** Removes a pod that was created under this name. */
  remove(id: string, name: string): Promise<Removal>
}

interface Removal {
  readonly id: string
  /** Why it may still be there; null where it is not. */
  readonly reason: string | null
  readonly wasGone: boolean
}

async function inTurn<One, T>(all: readonly One[], work: (one: One) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  for (const one of all) done.push(await work(one))
  return done
}

function createRemover(send: Transport, target: Target, run: string): Remover {
  const plane = () => planeOf(target)
  const clean = createRedactor(secretsOf(target)).text
  async function call(method: string, operation: PodOperation, id = ''): Promise<WireResponse> {
    const url = plane().url + plane().paths[operation].replace('{id}', encodeURIComponent(id))
    return send({
      method,
      url,
      headers: [
        ['Accept', 'application/json, application/problem+json'],
        ['Authorization', `Bearer ${target.keys.full ?? ''}`],
        ['User-Agent', `plumbline/${version()} (sweep)`],
      ],
      body: null,
    })
  }
  return {
    async list() {
      const { status, body } = await call('GET', 'listPods')
      const pods = status === 200 ? listOf(jsonOf(body), plane().listAt) : null
      if (pods === null) throw new Refused(`the list of pods could not be read (answer ${status})`)
      return pods
        .map((pod) => [membersOf(pod)?.name, membersOf(pod)?.id])
        .filter((entry): entry is [string, string] => entry.every((part) => typeof part === 'string'))
    },
    async remove(id, name) {
      const left = (reason: string): Removal => ({
        id,
        reason: withoutId(reason, id, '{id}'),
        wasGone: false,
      })
      const seen = await call('GET', 'getPod', id).catch(unanswered)
      if (isGone(seen.status)) return { id, reason: null, wasGone: true }
      const pod = 'body' in seen && seen.status === 200 ? membersOf(jsonOf(seen.body)) : null
      if (pod?.status === 'TERMINATED') return { id, reason: null, wasGone: true }
      if (typeof pod?.name === 'string' && !isOurs(pod.name, name, run))
        return left(`its id is that of a pod named ${clean(show(pod.name))}, which was left alone`)
      const { status } = await call('DELETE', 'deletePod', id).catch(unanswered)
      if (typeof status === 'string') return left(status)
      if (isSuccess(status)) return { id, reason: null, wasGone: false }
      return isGone(status)
        ? { id, reason: null, wasGone: true }
        : left(`DELETE ${plane().paths.deletePod} answered ${status}`)
    },
  }
}

function isGone(status: number | string): boolean {
  return status === 404 || status === 410
}

/** Whether a pod has a name that this run gave it: rules rename their pods, and a target may write names in its own way. */
function isOurs(name: string, given: string, run: string): boolean {
  const of = /^plumbline-(r[0-9a-z]{10})(?![0-9a-z])/i.exec(name)?.[1]
  return (
    name === given || (name.toLowerCase().startsWith('plumbline-') && (of === undefined || of.toLowerCase() === run))
  )
}

/** Why a call had no answer, in the place of its status. */
function unanswered(error: unknown): { readonly status: string } {
  if (error instanceof TransportFailure || error instanceof Refused) return { status: error.message }
  throw error
}

/**
 * Ids of the pods whose creation was not answered, or was refused, by their exact names; a refused one is looked for
 * once only. `fault` says why there was no further look for those that were not found.
 */
async function idsOf(
  remover: Remover,
  pods: readonly LedgerPod[],
  { sleep }: Patience,
  visibleMs: number,
): Promise<{ readonly found: ReadonlyMap<string, string[]>; readonly fault: string | null }> {
  const found = new Map<string, string[]>()
  for (let look = 0; look < looks && pods.some(({ name }) => !found.has(name)); look++) {
    if (look > 0 && !(await sleep(visibleMs / (looks - 1)))) {
      return { found, fault: 'it may come into being late, and time could not pass until then' }
    }
    const listed = await remover.list().catch((error: unknown) => {
      if (error instanceof TransportFailure || error instanceof Refused) return error
      throw error
    })
    if (listed instanceof Error) return { found, fault: listed.message }
    for (const { name, state } of pods) {
      const ids = listed.filter(([given]) => given === name).map(([, id]) => id)
      if (ids.length > 0 || state === 'refused') found.set(name, ids)
    }
  }
  return { found, fault: null }
}

function planeOf({ pods }: Target): PodPlane {
  if (pods === null) throw new Refused('the target file gives no address of the pod API')
  return pods
}

interface Done {
  readonly pods: readonly string[]
  readonly jobs: readonly string[]
  readonly purged: readonly string[]
}

function note({ folder, jobs, endpoints }: RunLedger, done: Done): void {
  const lines: ResourceLine[] = [
    ...done.pods.map((name): ResourceLine => ({ kind: 'pod', name, id: null, state: 'removed' })),
    ...jobs
      .filter(({ name }) => done.jobs.includes(name))
      .map(({ endsMs: _, ...one }): ResourceLine => ({ kind: 'job', ...one, state: 'removed' })),
    ...endpoints
      .filter(({ endpoint }) => done.purged.includes(endpoint))
      .map((one): ResourceLine => ({ kind: 'endpoint', ...one, state: 'purged' })),
  ]
  appendFileSync(join(folder, 'resources.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}
