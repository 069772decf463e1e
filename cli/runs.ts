import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { jsonIn } from '../harness/exchange/exchange.ts'
import { allPlanes, sectionOf } from '../harness/planes/index.ts'
import { createResourceLedger, type ResourceLedger, type ResourceLine } from '../harness/record/resources.ts'
import type { Target } from '../target/types.ts'
import { UsageError } from './errors.ts'
import { makeFolder } from './places.ts'
import { isAlive, type OwningProcess, owningProcess } from './process.ts'

/** One resource that a run's ledger names, such as a pod. */
export interface LedgerResource {
  readonly plane: string
  readonly name: string
  /** Null if the response to its creation was not seen. */
  readonly id: string | null
  readonly state: 'requested' | 'refused' | 'created' | 'kept'
}

/** Resources in the ledger of a run that are not removed yet. */
export interface RunLedger {
  readonly run: string
  readonly folder: string
  readonly targetFile: string | null
  /** Base address of each plane, empty if the target had none; missing if the ledger does not say. */
  readonly urls: Readonly<Record<string, string | undefined>>
  readonly left: readonly LedgerResource[]
  /** Jobs that were submitted and not seen to end. */
  readonly jobs: readonly LedgerJob[]
  /** Endpoints whose queue a load has filled. */
  readonly endpoints: readonly LedgerEndpoint[]
}

export interface LedgerEndpoint {
  readonly endpoint: string
  /** The base address of the queue plane that was loaded. */
  readonly url: string
}

/** One job in a run's ledger. */
export interface LedgerJob {
  readonly name: string
  readonly endpoint: string
  /** Null if the response to its submission was not seen: it cannot be cancelled, and ends with its ttl. */
  readonly id: string | null
  /** When it is gone at the latest, ms on the target's clock; null if unknown. */
  readonly endsMs: number | null
}

interface RunOwner {
  readonly host: string
  readonly processes: readonly OwningProcess[]
}

/** Folder of a run's files below the working folder. */
export function runFolder(cwd: string, run: string): string {
  return join(cwd, '.plumbline', 'runs', run)
}

/** The ledger of the run's resources. */
export function resourcesFile(cwd: string, run: string): string {
  return join(runFolder(cwd, run), 'resources.ndjson')
}

/** Notes the processes of the run, so that a sweep does not remove the resources of an active run. */
export function writeOwner(cwd: string, run: string, processes: readonly number[]): void {
  const owner: RunOwner = { host: hostname(), processes: processes.map(owningProcess) }
  try {
    makeFolder(runFolder(cwd, run))
    writeFileSync(join(runFolder(cwd, run), 'owner.json'), JSON.stringify(owner))
  } catch (error) {
    const { code = String(error) } = error as { code?: string }
    throw new UsageError(
      `${join(cwd, '.plumbline')} cannot be written (${code}), and the run must note there what it creates; start it in another folder`,
    )
  }
}

/** Begins the ledger of a run on disk. */
export function beginLedger(cwd: string, run: string, targetFile: string | null, target: Target): ResourceLedger {
  const ledger = createResourceLedger(resourcesFile(cwd, run))
  const urls = allPlanes().map(({ name }) => [name, sectionOf(target, name)?.url ?? ''])
  ledger({ kind: 'run', run, targetFile, urls: Object.fromEntries(urls) })
  return ledger
}

/** Ids of the runs that have a ledger here, sorted. */
export function listRuns(cwd: string): string[] {
  const folder = join(cwd, '.plumbline', 'runs')
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((run) => existsSync(resourcesFile(cwd, run)))
        .sort()
    : []
}

/** A live process of this machine that the run belongs to; null if there is none. */
export function aliveProcess(cwd: string, run: string): number | null {
  const owner = readOwner(cwd, run)
  return owner?.host === hostname() ? (owner.processes.find(isAlive)?.id ?? null) : null
}

/** The other machine of the run, whose processes cannot be checked from here; null if it is this machine. */
export function otherHost(cwd: string, run: string): string | null {
  const host = readOwner(cwd, run)?.host ?? hostname()
  return host === hostname() ? null : host
}

/** Reads what a run has left. A truncated last line is ignored: its request was never sent. */
export function readLedger(cwd: string, run: string): RunLedger {
  const folder = runFolder(cwd, run)
  const resources = new Map<string, LedgerResource>()
  const jobs = new Map<string, LedgerJob>()
  const endpoints = new Map<string, LedgerEndpoint>()
  let targetFile: string | null = null
  let urls: RunLedger['urls'] | null = null
  const file = resourcesFile(cwd, run)
  for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
    const entry = jsonIn(line) as ResourceLine | undefined
    if (entry === undefined) continue
    if (entry.kind === 'run') {
      targetFile ??= entry.targetFile
      urls ??= entry.urls
    } else if (entry.kind === 'job') {
      if (entry.state === 'removed') jobs.delete(entry.name)
      else {
        const { name, endpoint, id, endsMs = jobs.get(name)?.endsMs ?? null } = entry
        jobs.set(name, { name, endpoint, id, endsMs })
      }
    } else if (entry.kind === 'endpoint') {
      if (entry.state === 'purged') endpoints.delete(entry.endpoint)
      else endpoints.set(entry.endpoint, { endpoint: entry.endpoint, url: entry.url })
    } else {
      // A line of kind `pod` names no plane.
      const { plane = 'pods', name, state } = entry
      const key = `${plane} ${name}`
      if (state === 'removed') resources.delete(key)
      else resources.set(key, { plane, name, id: entry.id ?? resources.get(key)?.id ?? null, state })
    }
  }
  return {
    run,
    folder,
    targetFile,
    urls: urls ?? {},
    left: [...resources.values()],
    jobs: [...jobs.values()],
    endpoints: [...endpoints.values()],
  }
}

/** True if a run has left anything in its ledger. */
export function isEmpty({ left, jobs, endpoints }: RunLedger): boolean {
  return left.length + jobs.length + endpoints.length === 0
}

/** Deletes the ledger of a run that has nothing left. */
export function deleteLedger({ folder }: RunLedger): void {
  rmSync(folder, { recursive: true, force: true })
}

function readOwner(cwd: string, run: string): RunOwner | null {
  const file = join(runFolder(cwd, run), 'owner.json')
  return existsSync(file) ? ((jsonIn(readFileSync(file, 'utf8')) as RunOwner | undefined) ?? null) : null
}
