import { rules as ledger } from '../../generated/rules.ts'
import type { Drive, Judged, Undecided } from '../../load/conduct.ts'
import { findK6 } from '../../load/k6/find.ts'
import type { LoadRequests } from '../../load/k6/script-plan.ts'
import { LoadError } from '../../load/load-error.ts'
import type { Step } from '../../load/queue/steps.ts'
import { loadResults } from '../../load/results.ts'
import { runLoad } from '../../load/run.ts'
import type { RunEvent } from '../../suites/harness/record/events.ts'
import { exitCodes, type Results } from '../../suites/harness/results/types.ts'
import { describeTarget } from '../../suites/harness/target/describe.ts'
import type { Target } from '../../suites/harness/target/types.ts'
import { overHttp } from '../../suites/harness/transport/http.ts'
import { type Transport, TransportFailure } from '../../suites/harness/transport/types.ts'
import { digestsOf } from '../digests.ts'
import { UsageError } from '../errors.ts'
import { version } from '../home.ts'
import { watchInterruption } from '../interrupt.ts'
import { writeReports } from '../record.ts'
import { newRunId } from '../run-id.ts'
import type { Terminal } from '../terminal.ts'
import { printResults } from '../text.ts'
import { describeEstimate, estimateOf, refuseBeyond } from './caps.ts'
import { type LoadFolder, openLoadFolder } from './folder.ts'
import { type LoadProgress, noLoadProgress, showLoadProgress } from './progress.ts'
import type { LoadKind, LoadSelection } from './select.ts'

export interface LoadOptions {
  readonly target: string
  readonly out?: string
  readonly only: readonly string[]
  readonly profile?: string
  readonly iOwnThis?: string
  readonly maxRequests: number
  readonly maxSeconds: number
  readonly windowScale: number
  readonly quiet: boolean
}

/** What every kind of load has while it runs. */
export interface LoadSession {
  readonly transport: Transport
  readonly userAgent: string
  readonly signal: AbortSignal
  readonly progress: LoadProgress
  /** What has been judged so far; it outlives whatever ends the load. */
  readonly judged: Judged[]
  /** Opens the folder once the estimate is within the caps, and k6 is found. */
  readonly driver: (
    steps: readonly Step[],
    requests: LoadRequests,
    urls: Readonly<Record<string, string>>,
  ) => Promise<Drive>
}

export interface LoadTask {
  readonly kind: LoadKind
  readonly options: LoadOptions
  readonly target: Target
  readonly selection: LoadSelection
  readonly terminal: Terminal
  /** Drives everything. What it returns cannot be decided, each rule with its reason. */
  readonly conduct: (session: LoadSession) => Promise<Undecided>
  /** Removes what may be left, whatever happened. */
  readonly tidy?: (session: LoadSession) => Promise<void>
}

/** Runs a load around what drives it: signals, k6, folder, results. Answers the exit code. */
export async function runSession(task: LoadTask): Promise<number> {
  const { kind, options, target, selection, terminal } = task
  const run = newRunId()
  const startedMs = Date.now()
  const interruption = watchInterruption(() => terminal.err('plumbline: ended at once'))
  const http = overHttp({ connectMs: target.tolerances.connectMs, answerMs: target.tolerances.answerMs })
  const progress = options.quiet ? noLoadProgress : showLoadProgress(terminal)
  const judged: Judged[] = []
  let folder: LoadFolder | null = null
  let k6Version = ''
  const session: LoadSession = {
    transport: http.send,
    userAgent: `plumbline/${version()} (run ${run}; rule load)`,
    signal: interruption.signal,
    progress: {
      ...progress,
      judged(one) {
        folder?.keep(one)
        judged.push(one)
        progress.judged(one)
      },
    },
    judged,
    async driver(steps, requests, urls) {
      const estimate = estimateOf(steps)
      if (!options.quiet) terminal.err(describeEstimate(estimate))
      refuseBeyond(estimate, options)
      const k6 = await foundK6(terminal)
      k6Version = k6.version
      const opened = openLoadFolder(terminal.cwd, options.out, estimate.requests)
      folder = opened
      return ({ name, plan, rules }, fills) =>
        runLoad({
          plan,
          requests,
          fills,
          k6: k6.path,
          urls,
          token: target.keys.full ?? '',
          userAgent: `plumbline/${version()} (run ${run}; rule ${rules[0] ?? 'smoke'})`,
          folder: opened.next(name),
          signal: interruption.signal,
        })
    },
  }
  let end: {
    readonly undecided: Undecided
    readonly brokenOff: string | null
    readonly stopped: Results['verdict'] | null
  }
  try {
    end = { undecided: await task.conduct(session), brokenOff: null, stopped: null }
  } catch (error) {
    if (error instanceof UsageError) throw error
    const told = interruption.signal.aborted ? 'it was interrupted' : reasonOf(error)
    if (told === null) throw error
    end = { undecided: new Map(), brokenOff: told, stopped: stoppedBy(error, judged, told) }
  } finally {
    progress.end()
    await task.tidy?.(session).catch(() => {})
    interruption.end()
    await http.close()
  }
  if (interruption.signal.aborted) {
    ;(folder as LoadFolder | null)?.end()
    terminal.err('plumbline: interrupted, and k6 was ended; nothing is judged')
    return exitCodes.interrupted
  }
  if (end.brokenOff !== null) terminal.err(`plumbline: ${end.brokenOff}`)
  if (kind === 'smoke') {
    ;(folder as LoadFolder | null)?.end()
    if (end.brokenOff === null) return exitCodes.conformant
    return end.stopped?.exit ?? exitCodes.incomplete
  }
  const event: RunEvent = {
    type: 'run',
    format: 1,
    run,
    plumbline: version(),
    startedMs,
    targetFile: options.target,
    seed: 0,
    clock: 'real',
    profiles: selection.profiles,
    strict: false,
    rules: [...selection.selected].sort(),
    digests: digestsOf(target),
    target: describeTarget(target),
  }
  const results = await loadResults({
    run: event,
    ledger,
    judged,
    undecided: end.undecided,
    leftOut: selection.leftOut,
    brokenOff: end.brokenOff,
    stopped: end.stopped === null ? null : { exit: end.stopped.exit, message: end.stopped.line },
    endedMs: Date.now(),
    rerun: (rule) => `plumbline load ${kind} --target ${options.target} --only ${rule}`,
    readings: {
      k6: k6Version,
      ...(options.windowScale === 1 ? {} : { 'window scale': String(options.windowScale) }),
    },
  })
  printResults(results, terminal, options)
  const opened = folder as LoadFolder | null
  if (opened !== null && options.out !== undefined) {
    writeReports(opened.path, results)
    terminal.out(`report: ${opened.path}/report.html`)
  }
  opened?.end()
  return results.verdict.exit
}

async function foundK6(terminal: Terminal) {
  try {
    return await findK6({ env: terminal.environment, told: (message) => terminal.err(`plumbline: ${message}`) })
  } catch (error) {
    if (error instanceof LoadError) throw new UsageError(error.message)
    throw error
  }
}

/** Why a load ended before its end, where that is no fault of ours. */
function reasonOf(error: unknown): string | null {
  if (error instanceof LoadError) return error.message
  if (error instanceof TransportFailure) return `the target cannot be reached: ${error.message}`
  if ((error as { code?: unknown } | null)?.code === 'ENOSPC') {
    return 'the disk is full, so the record of this load is not whole; name another folder with --out'
  }
  return null
}

/** A target that was never there has no results; one that went away keeps those that it earned. */
function stoppedBy(error: unknown, judged: readonly Judged[], line: string): Results['verdict'] | null {
  if (!(error instanceof TransportFailure) || judged.some(({ verdicts }) => verdicts.length > 0)) return null
  return { word: 'unreachable', exit: exitCodes.unreachable, line }
}
