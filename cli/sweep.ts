import { appendFileSync } from 'node:fs'
import { pluralize } from '../harness/common/pluralize.ts'
import { planeNamed } from '../harness/planes/index.ts'
import { program } from '../results/rerun.ts'
import type { Target } from '../target/types.ts'
import { type Leftover, leftoverOf, printLeftovers } from './leftovers.ts'
import { deleteLedger, nameOf, planeOf, type Resource, type RunLedger, readLedger, resourcesIn } from './runs.ts'
import { createPatience, interruptedMs, type SweepEnd } from './sweep-patience.ts'
import { type End, isCreated, isLeft, type Sweeping, sweepPlane } from './sweep-plane.ts'
import { cancelJob, purgeEndpoint } from './sweep-queue.ts'
import type { Terminal } from './terminal.ts'

export interface Swept {
  /** Each resource of the ledger with its end, without those that the run keeps. */
  readonly ends: readonly End[]
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
  const isKept = ({ state }: Resource) => leaveKept && state === 'kept'
  const wanted = ledger.left.filter((of) => !isKept(of))
  const ends = wanted.length === 0 ? [] : await removeAll(wanted, ledger, target, end)
  const kept = ledger.left.filter(isKept).map(nameOf)
  const failed = ends.flatMap(({ of, end }) => (isLeft(end) ? [leftoverOf(of, end.reason, target)] : []))
  if (failed.length === 0 && kept.length === 0 && ledger.damaged === null) deleteLedger(ledger)
  else note(ledger, ends)
  return { ends, kept, failed }
}

/**
 * Removes what a run of this command did not remove itself, and reports it. Returns how much could not be removed; pods
 * that it keeps on purpose do not count.
 */
export async function sweepOwn(
  target: Target,
  { run, leaveKept, signal }: { readonly run: string; readonly leaveKept: boolean; readonly signal: AbortSignal },
  { cwd, err }: Terminal,
): Promise<number> {
  const end = { signal, goesOnMs: interruptedMs }
  const { ends, kept, failed } = await sweepRun({ ledger: readLedger(cwd, run), target, leaveKept, end })
  const removed = removedText(ends)
  if (removed !== 'nothing') err(`removed ${removed} left by the run`)
  if (kept.length > 0) {
    const pods = `${pluralize(kept.length, 'pod')} of failed rules (${kept.join(', ')})`
    err(`kept ${pods}; ${program} sweep ${run} removes them`)
  }
  printLeftovers(failed, run, { err })
  return failed.length
}

/** How many of each kind were removed: `2 pods and 1 endpoint`, or `nothing`. */
export function removedText(ends: readonly End[]): string {
  const kinds = ends.flatMap(({ of, end }) =>
    end === 'removed' && isCreated(of) ? [planeNamed(planeOf(of)).creates?.kind ?? 'resource'] : [],
  )
  const counted = [...Map.groupBy(kinds, (kind) => kind)].map(([kind, { length }]) => pluralize(length, kind))
  return counted.join(' and ') || 'nothing'
}

async function removeAll(
  wanted: readonly Resource[],
  ledger: RunLedger,
  target: Target,
  end: SweepEnd | undefined,
): Promise<End[]> {
  const patience = createPatience(target, end)
  const sweeping: Sweeping = { ledger, target, patience }
  const ends: End[] = []
  try {
    for (const of of wanted) if (of.kind === 'endpoint') ends.push({ of, end: await purgeEndpoint(of, sweeping) })
    for (const of of wanted) if (of.kind === 'job') ends.push({ of, end: await cancelJob(of, sweeping) })
    const others = wanted.filter(isCreated)
    for (const [plane, ofPlane] of Map.groupBy(others, planeOf)) {
      ends.push(...(await sweepPlane(plane, ofPlane, sweeping)))
    }
    return ends
  } finally {
    await patience.close()
  }
}

/** Notes in the ledger what is no longer left. */
function note({ folder }: RunLedger, ends: readonly End[]): void {
  const lines = ends
    .filter(({ end }) => !isLeft(end))
    .map(({ of }) => ({ ...of, state: of.kind === 'endpoint' ? 'purged' : 'removed' }))
  appendFileSync(resourcesIn(folder), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}
