import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { pluralize } from '../harness/common/pluralize.ts'
import { allPlanes } from '../harness/planes/index.ts'
import type { Creates } from '../harness/planes/plane.ts'
import type { ResourceLine } from '../harness/record/resources.ts'
import type { Target } from '../target/types.ts'
import type { Leftover } from './leftovers.ts'
import { deleteLedger, type LedgerResource, type RunLedger } from './runs.ts'
import { createPatience, type SweepEnd } from './sweep-patience.ts'
import { type End, isLeft, kindOf, sweepPlane } from './sweep-plane.ts'
import { type Cancelled, cancelJobs, purgeEndpoint } from './sweep-queue.ts'

export interface Swept {
  readonly run: string
  /** Names of the pods and endpoints that were removed. */
  readonly removed: readonly string[]
  /** How many of each kind were removed: `2 pods and 1 endpoint`, or `nothing`. */
  readonly removedText: string
  /** Names of those that were already gone. */
  readonly gone: readonly string[]
  /** Names of creations whose pod was never seen. */
  readonly never: readonly string[]
  /** Number of cancelled jobs, without those that had ended before. */
  readonly jobs: number
  /** Number of jobs that had ended before. */
  readonly over: number
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
  /** Present if the sweep is part of a command that can be interrupted. */
  readonly end?: SweepEnd
}

/**
 * Removes only what is in a run's ledger: pods by id if known, else by the exact name in the list;
 * jobs by id; the queue of an endpoint that a load has filled, if the target file marks it dedicated. Deletes the
 * ledger once nothing is left. The one function behind Ctrl-C, a crash and `plumbline sweep`.
 */
export async function sweepRun({ ledger, target, leaveKept, end }: SweepOptions): Promise<Swept> {
  const kept = leaveKept ? ledger.left.filter(({ state }) => state === 'kept') : []
  const wanted = ledger.left.filter((pod) => !kept.includes(pod))
  const ends: End[] = []
  const failed: Leftover[] = []
  const purged: string[] = []
  let jobs: Cancelled = { cancelled: [], over: [], failed: [] }
  if (wanted.length > 0 || ledger.jobs.length > 0 || ledger.endpoints.length > 0) {
    const patience = createPatience(target, end)
    try {
      for (const one of ledger.endpoints) {
        const full = await purgeEndpoint(one, target, patience)
        if (full === null) purged.push(one.endpoint)
        else failed.push(full)
      }
      jobs = await cancelJobs(ledger, target, patience, Date.now())
      failed.push(...jobs.failed)
      for (const plane of new Set(wanted.map(({ plane }) => plane))) {
        const ofPlane = wanted.filter((one) => one.plane === plane)
        ends.push(...(await sweepPlane(plane, ofPlane, { target, patience, run: ledger.run })))
      }
    } finally {
      await patience.close()
    }
  }
  for (const { of, id, end } of ends) {
    if (isLeft(end)) failed.push({ kind: kindOf(of.plane), name: of.name, id, reason: end.reason, endsMs: null })
  }
  const namesOf = (wanted: End['end']) => ends.filter(({ end }) => end === wanted).map(({ of }) => of.name)
  const swept = {
    run: ledger.run,
    removed: namesOf('removed'),
    removedText: countKinds(ends.filter(({ end }) => end === 'removed').map(({ of }) => kindOf(of.plane))),
    gone: namesOf('gone'),
    never: namesOf('never'),
    jobs: jobs.cancelled.length,
    over: jobs.over.length,
    purged,
    kept: kept.map(({ name }) => name),
    failed,
  }
  if (failed.length === 0 && kept.length === 0) deleteLedger(ledger)
  else
    note(ledger, {
      resources: ends.filter(({ end }) => !isLeft(end)).map(({ of }) => of),
      jobs: [...jobs.cancelled, ...jobs.over],
      purged,
    })
  return swept
}

function countKinds(kinds: readonly string[]): string {
  const counted = [...Map.groupBy(kinds, (kind) => kind)].map(([kind, { length }]) => pluralize(length, kind))
  return counted.join(' and ') || 'nothing'
}

function lineOf(plane: string): Creates['line'] {
  return allPlanes().find(({ name }) => name === plane)?.creates?.line ?? { kind: 'resource', plane }
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
