import { resolve } from 'node:path'
import { lengthOf } from '../../harness/common/length.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { type End, isStillLeft } from '../../harness/run/removal.ts'
import type { Target } from '../../target/types.ts'
import { TargetFileError } from '../../target-file/error.ts'
import { loadTarget } from '../../target-file/load.ts'
import { suggestion } from '../../target-file/nearest.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { UsageError } from '../shared/errors.ts'
import { watchInterruption } from '../shared/interrupt.ts'
import type * as commands from '../shared/options.ts'
import { program } from '../shared/package-paths.ts'
import {
  aliveProcess,
  deleteLedger,
  listRuns,
  nameOf,
  otherHost,
  type RunLedger,
  readLedger,
} from '../shared/run/runs.ts'
import { type Leftover, leftoverOf, printForgotten, printLeftovers } from '../shared/sweep/leftovers.ts'
import { removedText, sweepRun } from '../shared/sweep/sweep.ts'
import { readTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = Partial<commands.OptionsOf<typeof commands.sweep>>

/** Removes what runs below this folder left behind. Returns 0, or 3 if something may still exist. */
export async function sweep(runs: readonly string[], options: Options, terminal: Terminal): Promise<number> {
  const { cwd } = terminal
  const known = listRuns(cwd)
  if (options.forget === true && runs.length === 0) {
    throw new UsageError(
      '--forget gives up resources that may still cost money; name the runs, such as sweep r0123456789 --forget',
    )
  }
  for (const run of runs) {
    if (!known.includes(run)) {
      const hint = known.length === 0 ? '; no run has a ledger there' : suggestion(run, known)
      throw new UsageError(`no run ${run} below ${resolve(cwd, '.plumbline')}${hint}`)
    }
  }
  const given = options.target === undefined ? null : await readTarget(options.target, terminal)
  const interruption = watchInterruption(() => {})
  const { signal } = interruption
  try {
    const failures = await sweepRuns(runs.length === 0 ? known : runs, { runs, given, options, signal, terminal })
    if (signal.aborted) {
      terminal.err('plumbline: interrupted; sweep again for what is left')
      return exitCodes.interrupted
    }
    if (known.length === 0) terminal.out('nothing to sweep: no run has a ledger here')
    return failures === 0 ? exitCodes.conformant : exitCodes.incomplete
  } finally {
    interruption.end()
  }
}

interface Asked {
  /** Runs named on the command line. */
  readonly runs: readonly string[]
  readonly given: Target | null
  readonly options: Options
  readonly signal: AbortSignal
  readonly terminal: Terminal
}

/** Returns how much may still exist. */
async function sweepRuns(all: readonly string[], asked: Asked): Promise<number> {
  const { runs, options, signal, terminal } = asked
  const { cwd } = terminal
  let failures = 0
  for (const run of all) {
    if (signal.aborted) return failures
    const alive = aliveProcess(cwd, run)
    if (alive !== null) {
      terminal.err(`run ${run} is still active (process ${alive}); skipped`)
      if (runs.includes(run)) failures++
      continue
    }
    const host = otherHost(cwd, run)
    if (host !== null && options.allHosts !== true && !runs.includes(run)) {
      terminal.err(
        `run ${run} belongs to ${host} and may still be active; skipped; if it has ended, use ${program} sweep ${run}, or --all-hosts if all have ended`,
      )
      failures++
      continue
    }
    const ledger = readLedger(cwd, run)
    const left = await sweepOne(ledger, asked)
    // Only what was tried is given up.
    if (signal.aborted) return failures
    if (options.forget === true) {
      printForgotten(left, run, terminal)
      deleteLedger(ledger)
      continue
    }
    failures += left.length
    if (ledger.damaged === null) continue
    failures++
    terminal.err(
      `${ledger.damaged}, so the run may have left more: look for pods and endpoints whose names contain ${run}; ${program} sweep ${run} --forget deletes this ledger`,
    )
  }
  return failures
}

/** Removes what a run left, reports it, and returns what could not be removed. */
async function sweepOne(ledger: RunLedger, { given, options, signal, terminal }: Asked): Promise<readonly Leftover[]> {
  const { run } = ledger
  const forgets = options.forget === true
  if (ledger.left.length === 0) {
    if (ledger.damaged !== null) return []
    deleteLedger(ledger)
    terminal.out(`run ${run}: nothing was left`)
    return []
  }
  const target = given ?? fromLedger(ledger, forgets, terminal)
  if (typeof target === 'string') return ledger.left.map((of) => leftoverOf(of, target, null))
  const withoutId = ledger.left.filter((of) => of.state === 'requested' && of.kind !== 'job').length
  if (withoutId > 0) {
    const limit = `up to ${lengthOf(target.tolerances.visibleMs)} for each API`
    terminal.err(`run ${run}: searching for ${pluralize(withoutId, 'resource')} without an id by name (${limit})`)
  }
  const swept = await sweepRun({ ledger, target, leaveKept: false, end: { signal, goesOnMs: 0 } })
  terminal.out(`run ${run}: ${summaryOf(swept.ends)}`)
  if (!forgets) printLeftovers(swept.failed, run, terminal)
  return swept.failed
}

/** `2 pods and 1 endpoint removed, 1 already gone, 3 jobs cancelled, 1 job not cancelled`. */
function summaryOf(ends: readonly End[]): string {
  const by = Map.groupBy(ends, ({ of: { kind }, end }) => {
    return `${kind === 'resource' ? 'pod' : kind} ${isStillLeft(end) ? 'left' : end}`
  })
  const count = (key: string) => by.get(key)?.length ?? 0
  const some = (key: string, text: (many: number) => string) => (count(key) === 0 ? [] : [text(count(key))])
  const removed = removedText(ends)
  const parts = [
    ...(removed === 'nothing' ? [] : [`${removed} removed`]),
    ...some('pod gone', (many) => `${many} already gone`),
    ...some('pod never', (many) => `${many} never created`),
    ...some('pod left', (many) => `${many} not removed`),
    ...(by.get('endpoint removed') ?? []).map(({ of }) => `the queue of ${nameOf(of)} purged`),
    ...some('endpoint left', (many) => `${pluralize(many, 'queue')} not purged`),
    ...some('job removed', (many) => `${pluralize(many, 'job')} cancelled`),
    ...some('job gone', (many) => `${pluralize(many, 'job')} already over`),
    ...some('job left', (many) => `${pluralize(many, 'job')} not cancelled`),
  ]
  return parts.join(', ') || 'nothing left to remove'
}

/** The target of a run from its file; or why it cannot be read, if nothing has to be removed. */
function fromLedger(
  { run, targetFile }: RunLedger,
  forgets: boolean,
  { environment, hide }: Terminal,
): Target | string {
  try {
    if (targetFile !== null) {
      const target = loadTarget(targetFile, environment)
      hide?.(redactorOf(target).text)
      return target
    }
  } catch (error) {
    if (!forgets || !(error instanceof TargetFileError)) throw error
    return `its target file is invalid: ${error.message}`
  }
  const fault = `the ledger of run ${run} has no target file`
  if (forgets) return fault
  throw new UsageError(`${fault}; give one with --target`)
}
