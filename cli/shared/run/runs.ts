import { randomInt } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { jsonIn } from '../../../harness/exchange/exchange.ts'
import { isId, membersOf } from '../../../harness/exchange/read.ts'
import { allPlanes, sectionOf } from '../../../harness/planes/index.ts'
import { planeOf } from '../../../harness/planes/removing.ts'
import {
  createResourceLedger,
  type Resource,
  type ResourceLedger,
  type ResourceLine,
} from '../../../harness/record/resources.ts'
import type { Target } from '../../../target/types.ts'
import { UsageError } from '../errors.ts'
import { isAlive, type OwningProcess, owningProcess } from '../process.ts'
import { codeOf, isFile, makeFolder } from '../records/output-folders.ts'

/** Resources in the ledger of a run that are not removed yet. */
export interface RunLedger {
  readonly run: string
  readonly folder: string
  readonly targetFile: string | null
  /** Base address of each plane, empty if the target had none; missing if the ledger does not say. */
  readonly urls: Readonly<Record<string, string | undefined>>
  /**
   * The last line of each, with its id and the end of its ttl if an earlier line has them. Several may have the same name.
   */
  readonly left: readonly Resource[]
  /** Names of the planes on which something was created. */
  readonly created: readonly string[]
  /** Why more may be left than it names, as a clause: a part cannot be read. Null if all can. */
  readonly damaged: string | null
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
  return resourcesIn(runFolder(cwd, run))
}

export function resourcesIn(folder: string): string {
  return join(folder, 'resources.ndjson')
}

/** Notes the processes of the run, so that a sweep does not remove the resources of an active run. */
export function writeOwner(cwd: string, run: string, processes: readonly number[]): void {
  const owner: RunOwner = { host: hostname(), processes: processes.map(owningProcess) }
  try {
    makeFolder(runFolder(cwd, run))
    writeFileSync(join(runFolder(cwd, run), 'owner.json'), JSON.stringify(owner))
  } catch (error) {
    throw new UsageError(
      `${join(cwd, '.plumbline')} cannot be written (${codeOf(error)}), and the run must note there what it creates; start it in another folder`,
      error,
    )
  }
}

/** Begins the ledger of a run of this process on disk. `targetFile` is as it was named on the command line. */
export function beginLedger(cwd: string, run: string, targetFile: string | null, target: Target): ResourceLedger {
  const urls = allPlanes().map(({ name }) => [name, sectionOf(target, name)?.url ?? ''])
  const file = targetFile === null ? null : resolve(cwd, targetFile)
  try {
    writeOwner(cwd, run, [process.pid])
    const ledger = createResourceLedger(resourcesFile(cwd, run))
    ledger({ kind: 'run', run, targetFile: file, urls: Object.fromEntries(urls) })
    return ledger
  } catch (error) {
    // Nothing is created, and half a ledger would count as damaged.
    rmSync(runFolder(cwd, run), { recursive: true, force: true })
    throw error
  }
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

/**
 * Reads what a run has left. A truncated last line is ignored: its request was never sent. Without its first line, the
 * ledger is damaged.
 */
export function readLedger(cwd: string, run: string): RunLedger {
  const left = new Map<string, Resource>()
  const created = new Set<string>()
  let targetFile: string | null = null
  let urls: RunLedger['urls'] = {}
  const file = resourcesFile(cwd, run)
  const lines = isFile(file) ? readFileSync(file, 'utf8').split('\n') : []
  let damaged = existsSync(file) && lines.join('') === '' ? `${file} is ${isFile(file) ? 'empty' : 'no file'}` : null
  for (const [at, line] of lines.entries()) {
    const entry = lineIn(line)
    if (entry === null) {
      if (at === 0 || at < lines.length - 1) damaged ??= `line ${at + 1} of ${file} cannot be read`
      continue
    }
    if (entry.kind === 'run') {
      ;({ targetFile, urls } = entry)
      continue
    }
    if (entry.kind === 'pod' || entry.kind === 'resource') created.add(planeOf(entry))
    const keyOf = (id: string | null) => JSON.stringify([planeOf(entry), entry.kind, nameOf(entry), id])
    const [key, id] = [keyOf(null), idOf(entry)]
    const before = left.get(key)
    const earlier = before === undefined ? null : idOf(before)
    if (entry.state === 'removed' || entry.state === 'purged') {
      if (!left.delete(keyOf(id))) left.delete(key)
      continue
    }
    // The name was sent again, and its first resource is still there.
    const isAnother = earlier !== null && (entry.state === 'requested' || (id !== null && id !== earlier))
    if (isAnother && before !== undefined) left.set(keyOf(earlier), before)
    const known = Object.entries(entry).filter(([, value]) => value !== null)
    left.set(key, { ...entry, ...(isAnother ? {} : before), ...Object.fromEntries(known) } as Resource)
  }
  return {
    run,
    folder: runFolder(cwd, run),
    targetFile,
    urls,
    left: [...left.values()],
    created: [...created],
    damaged,
  }
}

/** A line of a ledger; null if it is not one. What counts as no id is null. */
function lineIn(text: string): ResourceLine | null {
  const line = membersOf(jsonIn(text))
  if (line?.kind === 'run') return membersOf(line.urls) === null ? null : (line as unknown as ResourceLine)
  const isWhole = [line?.kind, line?.state, line?.kind === 'endpoint' ? line.endpoint : line?.name].every(isText)
  if (line === null || !isWhole || (line.kind === 'job' && !isText(line.endpoint))) return null
  return { ...line, ...('id' in line && { id: isId(line.id) ? line.id : null }) } as ResourceLine
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function nameOf(of: Resource): string {
  return of.kind === 'endpoint' ? `endpoint ${of.endpoint}` : of.name
}

function idOf(of: Resource): string | null {
  return of.kind === 'endpoint' ? null : of.id
}

/** Deletes the ledger of a run that has nothing left. */
export function deleteLedger({ folder }: RunLedger): void {
  rmSync(folder, { recursive: true, force: true })
}

function readOwner(cwd: string, run: string): RunOwner | null {
  const file = join(runFolder(cwd, run), 'owner.json')
  return existsSync(file) ? ((jsonIn(readFileSync(file, 'utf8')) as RunOwner | undefined) ?? null) : null
}

/** The id of a run: `r` and ten characters of base 36. */
export function newRunId(): string {
  return `r${Array.from({ length: 10 }, () => randomInt(36).toString(36)).join('')}`
}
