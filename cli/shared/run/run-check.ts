import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { lackIn } from '../../../harness/common/lack.ts'
import { lengthOf } from '../../../harness/common/length.ts'
import type { Progress, RunOptions } from '../../../harness/run/options.ts'
import { drainMs } from '../../../harness/transport/drain.ts'
import type { Estimate } from '../../../load/caps.ts'
import type { Format } from '../../../reports/format-names.ts'
import type { NamedResults } from '../../../results/merge.ts'
import type { Results } from '../../../results/types.ts'
import type { Target } from '../../../target/types.ts'
import { exitCodes } from '../../../verdicts/exit-codes.ts'
import { BrokenError } from '../errors.ts'
import { type Interruption, watchInterruption } from '../interrupt.ts'
import { moduleUrl, program, version } from '../package-paths.ts'
import { digestsOf } from '../records/digests.ts'
import { type Formats, openFormats, parseFormats } from '../records/formats.ts'
import { temporaryFolder } from '../records/output-folders.ts'
import { hasRecord, openOutput, prepareOutput, resultsOf } from '../records/record.ts'
import { sweepOwn } from '../sweep/sweep.ts'
import { interruptedMs } from '../sweep/sweep-session.ts'
import type { Terminal } from '../terminal.ts'
import { type ChildEnd, type ChildRun, startChild } from './child.ts'
import { withOutput } from './lock.ts'
import { refuseFullDisk } from './prepare-load.ts'
import { noProgress, showProgress } from './progress.ts'
import { beginLedger, newRunId, resourcesFile, writeOwner } from './runs.ts'
import { createTimeLeft } from './time-left.ts'
import type { VendorRules } from './vendor-rules.ts'

/** A run as a command decides it. */
export interface RunCheckOptions {
  readonly plan: Partial<RunOptions> & Pick<RunOptions, 'seed' | 'profiles' | 'strict' | 'keep' | 'rules'>
  /** Null: the reference in process. */
  readonly target: Target | null
  /** The target file as it was named on the command line. */
  readonly targetFile: string | null
  /** The folder of `--rules` as it was named, and its rules; missing without any. */
  readonly rulesFolder?: string
  readonly vendor?: VendorRules
  readonly out: string | undefined
  readonly quiet: boolean
  readonly formats: Formats
  readonly files: ReadonlyMap<string, Format>
  /** Results that decide the exit code by what is worse than in them. */
  readonly baseline?: NamedResults | null
  /** The server of `--start`; missing without one. */
  readonly server?: RunServer
  /** How long its rules and its load take by the plan, real ms; missing if they were not planned. */
  readonly expectedMs?: number
  /** How much its load takes; null without load. */
  readonly estimate: Estimate | null
  readonly terminal: Terminal
  /** Reports the record in place of its results. Returns the exit code. */
  readonly printRecord?: (folder: string) => Promise<number>
  /** Ends the run early; default: the signals of this process. */
  readonly interruption?: Interruption
  /** Receives the results of a run that was not interrupted. */
  readonly onResults?: (results: Results) => void
}

/** A server that serves the target of a run. */
export interface RunServer {
  /** Resolves with how it failed; never if it does not. */
  readonly failed: Promise<string>
  /** The flags that start it again, quoted. */
  readonly flags: string
  /** Prints how it failed, with its last output. */
  printFailure(how: string): void
}

/** How long after an interruption the run waits for the last responses and writes its record, real ms. */
const graceMs = drainMs + 2_000

/** The longest time of a timer. */
const longestTimerMs = 2 ** 31 - 1

/** Runs the rules of a plan in a process, removes what it leaves, and reports. Returns the exit code. */
export function runCheck(given: RunCheckOptions): Promise<number> {
  const { out, estimate, terminal } = given
  return inFolder(out, terminal.cwd, (evidence) => {
    if (estimate !== null) refuseFullDisk(evidence, estimate)
    return runChild(beginRun(given, evidence), given)
  })
}

/** Opens the places of the reports, so that one that cannot be written is refused before the target is asked. */
export function openReports(
  { out, format }: { readonly out?: string; readonly format: readonly string[] },
  cwd: string,
): Pick<RunCheckOptions, 'out' | 'formats' | 'files'> {
  const formats = parseFormats(format)
  const isNew = out !== undefined && !existsSync(resolve(cwd, out))
  const dir = out === undefined ? undefined : openOutput(cwd, out)
  try {
    return { out, formats, files: openFormats(formats, cwd, out) }
  } finally {
    // The run creates it again, if it begins.
    if (isNew && dir !== undefined) rmdirSync(dir)
  }
}

/** Begins the ledger of a run whose record is in the folder `evidence`. Returns the options of the run. */
function beginRun(given: RunCheckOptions, evidence: string): RunOptions {
  const { plan, target, targetFile, rulesFolder, vendor, server, terminal } = given
  const { cwd } = terminal
  const run = newRunId()
  if (target !== null) beginLedger(cwd, run, targetFile, target)
  return {
    ...plan,
    run,
    plumbline: version(),
    startedMs: Date.now(),
    target,
    targetFile,
    program,
    suites: moduleUrl('suites/all'),
    ...(rulesFolder !== undefined && {
      rulesFolder,
      vendor: { module: moduleUrl('cli/shared/run/vendor-rules'), folder: resolve(cwd, rulesFolder) },
    }),
    ...(server !== undefined && { start: server.flags }),
    embed: target === null ? moduleUrl('proof/instance') : null,
    digests: digestsOf(target, vendor),
    evidence,
    resources: target === null ? null : resourcesFile(cwd, run),
  }
}

async function runChild(options: RunOptions, given: RunCheckOptions): Promise<number> {
  const { out, quiet, formats, files, baseline = null, terminal, printRecord, vendor, server } = given
  const { run, target, evidence } = options
  const reporting = { formats, files, dir: out === undefined ? null : evidence, quiet, baseline }
  let child: ChildRun | null = null
  const interruption =
    given.interruption ??
    watchInterruption(() => {
      child?.kill()
      terminal.err(`plumbline: ended at once; ${program} sweep ${run} removes what is left`)
    })
  const progress = quiet ? noProgress : showProgress(terminal, createTimeLeft(options.rules, given.expectedMs ?? null))
  /** Forwards progress. A process that may outlive the run is noted, so that `sweep` waits for its end. */
  function onProgress(line: Progress): void {
    if (line.type === 'processes') writeOwner(terminal.cwd, run, [process.pid, child?.pid ?? process.pid, ...line.ids])
    // Nothing is judged if only the record is told of.
    if (printRecord === undefined || line.type === 'plan' || line.type === 'shown') progress.tell(line)
  }
  function reportOverdue(): void {
    if (target === null || options.load !== undefined || quiet) return
    const budget = lengthOf(options.budgetMs ?? 0)
    terminal.err(`the budget of ${budget} is over; the run goes on only to remove what it created`)
  }
  try {
    const running = startChild({ options, environment: terminal.environment, onProgress })
    child = running
    // Loaded while the rules run, so that the report is not waited for.
    const loading = import('../records/report.ts')
    server?.failed.then((how) => running.reportServerEnd(how))
    if (target !== null) writeOwner(terminal.cwd, run, [process.pid, running.pid])
    const { signal } = interruption
    const stop = () => void running.stop(graceMs)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    if (target !== null) signal.addEventListener('abort', () => printCleaning(terminal, progress))
    const overdue =
      options.budgetMs === undefined ? undefined : setTimeout(reportOverdue, Math.min(options.budgetMs, longestTimerMs))
    const end = await running.ended
    clearTimeout(overdue)
    signal.removeEventListener('abort', stop)
    progress.end()
    const left = target === null ? 0 : await sweepOwn(target, { run, leaveKept: options.keep, interruption }, terminal)
    if (signal.aborted) {
      // Before its first line there is nothing to report.
      const { report } = await loading
      if (hasRecord(evidence)) report(await resultsOf(evidence, vendor), { ...reporting, interrupted: true }, terminal)
      terminal.err(`plumbline: interrupted${target === null || left > 0 ? '' : ', and cleaned up'}`)
      return exitCodes.interrupted
    }
    // A process that lingered after its end was killed, and has no code.
    if (!end.inOrder || (end.code ?? 0) !== 0) {
      const lack = lackIn(end.said)
      if (lack === null) throw new BrokenError(brokenSentence(end))
      terminal.err(
        `plumbline: ${lack}, so the record in ${evidence} is incomplete and nothing is judged; free some space, raise the limit, or choose another folder with --out`,
      )
      return exitCodes.incomplete
    }
    if (printRecord !== undefined) return await printRecord(evidence)
    const results = await resultsOf(evidence, vendor)
    given.onResults?.(results)
    if (results.run.serverEnd !== undefined) server?.printFailure(results.run.serverEnd)
    const { report } = await loading
    const exit = report(results, reporting, terminal)
    if (server !== undefined && exit === exitCodes['not conformant'] && !quiet) {
      terminal.err(
        'the server has ended with the run: commands that rerun a rule start it again; start it yourself before a curl line',
      )
    }
    return signal.aborted ? exitCodes.interrupted : exit
  } finally {
    progress.end()
    interruption.end()
  }
}

/** The folder of `--out`, locked for this run; otherwise a temporary folder, which is removed. */
export async function inFolder(
  out: string | undefined,
  cwd: string,
  work: (folder: string) => Promise<number>,
): Promise<number> {
  if (out !== undefined) return withOutput(cwd, out, () => work(prepareOutput(cwd, out)))
  const folder = temporaryFolder('plumbline-')
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function printCleaning({ err }: Terminal, progress: { end(): void }): void {
  progress.end()
  err(
    `plumbline: interrupted; removing what the run created, for ${interruptedMs / 1000} s at most; a second signal ends it at once`,
  )
}

function brokenSentence({ code, signal, said }: ChildEnd): string {
  const how = signal === null ? `with code ${code}` : `by ${signal}`
  return `the process that runs the rules ended ${how}; its results cannot be relied on${said === '' ? '' : `; it said:\n${said}`}`
}
