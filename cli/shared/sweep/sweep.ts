import { pluralize } from '../../../harness/common/pluralize.ts'
import { planeNamed, sectionOf } from '../../../harness/planes/index.ts'
import { planeOf } from '../../../harness/planes/removing.ts'
import { createResourceLedger, type Resource } from '../../../harness/record/resources.ts'
import { type End, isStillLeft, type RemovalOptions } from '../../../harness/run/removal.ts'
import type { Target } from '../../../target/types.ts'
import type { Interruption } from '../interrupt.ts'
import { program } from '../package-paths.ts'
import { deleteLedger, nameOf, type RunLedger, readLedger, resourcesIn } from '../run/runs.ts'
import type { Terminal } from '../terminal.ts'
import { type Leftover, leftoverOf, printLeftovers } from './leftovers.ts'
import { interruptedMs, openSweep, type SweepEnd } from './sweep-session.ts'

export interface Swept {
  /** Each resource of the ledger with its end, without those that the run keeps. */
  readonly ends: readonly End[]
  /** Names of pods that the run keeps on purpose. */
  readonly kept: readonly string[]
  /** Resources that could not be removed; they stay in the ledger. */
  readonly failed: readonly Leftover[]
}

interface SweepOptions {
  readonly ledger: RunLedger
  readonly target: Target
  /** True if pods that the run kept on purpose stay. */
  readonly leaveKept: boolean
  /** Present if the sweep is part of a command that can be interrupted. */
  readonly end?: SweepEnd
}

/**
 * Removes only what is in a run's ledger (`removeAll`), at the addresses where it was created. Deletes the ledger once
 * nothing is left.
 */
export async function sweepRun({ ledger, target, leaveKept, end }: SweepOptions): Promise<Swept> {
  const isKept = ({ state }: Resource) => leaveKept && state === 'kept'
  const wanted = ledger.left.filter((of) => !isKept(of))
  const faults = wanted.flatMap((of) => {
    const reason = elsewhere(of, ledger, target)
    return reason === null ? [] : [{ of, end: { reason } }]
  })
  const there = wanted.filter((of) => !faults.some((fault) => fault.of === of))
  const kept = ledger.left.filter(isKept).map(nameOf)
  const emptied = ledger.created.filter((plane) => ledger.urls[plane] === (sectionOf(target, plane)?.url ?? ''))
  const lists = { emptied, kept }
  const isNeeded = there.length > 0 || emptied.length > 0
  const ends: End[] = [...faults, ...(isNeeded ? await removeAll(there, ledger.run, target, lists, end) : [])]
  const failed = ends.flatMap(({ of, end }) => (isStillLeft(end) ? [leftoverOf(of, end.reason, target)] : []))
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
  { run, leaveKept, interruption }: { run: string; leaveKept: boolean; interruption: Interruption },
  { cwd, err }: Terminal,
): Promise<number> {
  const end = { signal: interruption.signal, goesOnMs: interruption.leftMs(interruptedMs) }
  const { ends, kept, failed } = await sweepRun({ ledger: readLedger(cwd, run), target, leaveKept, end })
  const removed = removedText(ends)
  if (removed !== 'nothing') err(`removed ${removed} at the end of the run`)
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
    end === 'removed' && (of.kind === 'pod' || of.kind === 'resource')
      ? [planeNamed(planeOf(of)).creates?.kind ?? 'resource']
      : [],
  )
  const counted = [...Map.groupBy(kinds, (kind) => kind)].map(([kind, { length }]) => pluralize(length, kind))
  return counted.join(' and ') || 'nothing'
}

/** Why this target file cannot find a resource; null if it can. */
function elsewhere(of: Resource, { urls }: RunLedger, target: Target): string | null {
  const plane = planeOf(of)
  const was = of.kind === 'endpoint' ? of.url : urls[plane]
  const section = sectionOf(target, plane)
  // Without a section, its plane says so.
  if (was === undefined || section === null || was === (section.url ?? '')) return null
  return `created at ${was || 'no address'}, and the target file says ${section.url || 'nothing'}`
}

async function removeAll(
  wanted: readonly Resource[],
  run: string,
  target: Target,
  lists: Pick<RemovalOptions, 'emptied' | 'kept'>,
  end: SweepEnd | undefined,
): Promise<End[]> {
  const { sweep, close } = await openSweep(target, run, end)
  try {
    return await sweep(wanted, lists)
  } finally {
    await close()
  }
}

/** Notes in the ledger what is no longer left, and what is although it was removed. */
function note({ folder, left }: RunLedger, ends: readonly End[]): void {
  const write = createResourceLedger(resourcesIn(folder))
  for (const { of, end } of ends) {
    if (isStillLeft(end)) {
      if (!left.includes(of)) write(of)
      continue
    }
    write(of.kind === 'endpoint' ? { ...of, state: 'purged' } : { ...of, state: 'removed' })
  }
}
