import { createRedactor, type Redactor } from '../../harness/record/redact.ts'
import { overHttp } from '../../harness/transport/http.ts'
import type { Transport } from '../../harness/transport/types.ts'
import type { Drive } from '../../load/conduct.ts'
import type { Judged } from '../../load/judge-step.ts'
import type { LoadRequests } from '../../load/k6/script-plan.ts'
import type { Point } from '../../load/points.ts'
import type { Undecided } from '../../load/queue/after-smoke.ts'
import type { Step } from '../../load/queue/steps.ts'
import { writeRecord } from '../../load/record.ts'
import { program } from '../../results/rerun.ts'
import { exitCodes } from '../../results/types.ts'
import { secretsOf } from '../../target/describe.ts'
import type { Target } from '../../target/types.ts'
import { version } from '../home.ts'
import { type Interruption, watchInterruption } from '../interrupt.ts'
import { tellReports } from '../record.ts'
import { newRunId } from '../run-id.ts'
import type { Terminal } from '../terminal.ts'
import { printResults } from '../text.ts'
import { type Driver, openDriver } from './driver.ts'
import { type Ending, endingOf, resultsOfLoad } from './outcome.ts'
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

/** The context of a running load. */
export interface LoadSession {
  readonly run: string
  readonly transport: Transport
  readonly userAgent: string
  readonly signal: AbortSignal
  readonly progress: LoadProgress
  /** The verdicts so far; they survive an early end of the load. */
  readonly judged: Judged[]
  /** Keeps the first response of the pod API, from which its plans follow. */
  see(point: Point): void
  /** Prints the bounds of all steps together, refuses a load beyond the caps, and finds k6. */
  driver(
    steps: readonly Step[],
    requests: LoadRequests,
    urls: Readonly<Record<string, string>>,
    onStart?: (process: number) => void,
  ): Promise<Drive>
}

export interface LoadTask {
  readonly kind: LoadKind
  readonly options: LoadOptions
  readonly target: Target
  readonly selection: LoadSelection
  readonly terminal: Terminal
  /** Drives all steps. Returns the rules that cannot be decided, each with its reason. */
  readonly conduct: (session: LoadSession) => Promise<Undecided>
  /** Cleans up, whatever happened. */
  readonly tidy?: (session: LoadSession) => Promise<void>
}

/** Runs a load with its signals, k6, folder and results. Returns the exit code. */
export async function runSession(task: LoadTask): Promise<number> {
  const redactor = createRedactor(secretsOf(task.target))
  const interruption = watchInterruption(() => task.terminal.err('plumbline: ended at once'))
  let driver: Driver | null = null
  let isUntidy = false
  const tidy = async (session: LoadSession): Promise<void> => {
    try {
      await task.tidy?.(session)
    } catch (error) {
      isUntidy = true
      const reason = error instanceof Error ? error.message : String(error)
      task.terminal.err(
        `plumbline: jobs of the load may still wait (${redactor.text(reason)}); ${program} sweep ${session.run} removes them`,
      )
    }
  }
  try {
    const exit = await conducted({ ...task, tidy }, redactor, interruption, (opened) => {
      driver = opened
    })
    return isUntidy && exit === exitCodes.conformant ? exitCodes.incomplete : exit
  } finally {
    interruption.end()
    ;(driver as Driver | null)?.folder.end()
  }
}

async function conducted(
  task: LoadTask,
  redactor: Redactor,
  { signal }: Interruption,
  opened: (driver: Driver) => void,
): Promise<number> {
  const { kind, options, target, terminal } = task
  const { answerMs, connectMs } = target.tolerances
  const http = overHttp({ answerMs, connectMs })
  const progress = options.quiet ? noLoadProgress : showLoadProgress(terminal)
  const judged: Judged[] = []
  const run = newRunId()
  const startedMs = Date.now()
  let driver: Driver | null = null
  let seen: Point | null = null
  const session: LoadSession = {
    run,
    // The resources of a load are removed in another way.
    transport: (request, patience) => http.send(request, { signal, ...patience }),
    userAgent: `plumbline/${version()} (run ${run}; rule load)`,
    signal,
    progress: {
      ...progress,
      judged(one) {
        driver?.folder.keep(one)
        judged.push(one)
        progress.judged(one)
      },
    },
    judged,
    see(point) {
      const clean = (header: string | null = null) => header && redactor.text(header)
      seen = { ...point, rateLimit: clean(point.rateLimit), rateLimitPolicy: clean(point.rateLimitPolicy) }
    },
    async driver(steps, requests, urls, onStart) {
      const token = target.keys.full ?? ''
      const { jobPrice } = target.budget
      const shared = { steps, requests, urls, run, token, clean: redactor.text, jobPrice, options, terminal, signal }
      driver = await openDriver({ ...shared, ...(onStart !== undefined && { onStart }) })
      opened(driver)
      return driver.drive
    },
  }
  const ending = await endOf(task, session, redactor).finally(async () => {
    progress.end()
    await http.close()
  })
  if (signal.aborted) {
    terminal.err('plumbline: interrupted; k6 was ended, and nothing is judged')
    return exitCodes.interrupted
  }
  if (ending.brokenOff !== null) terminal.err(`plumbline: ${ending.brokenOff}`)
  if (kind === 'smoke') {
    if (ending.brokenOff === null) return exitCodes.conformant
    return ending.stopped?.exit ?? exitCodes.incomplete
  }
  const used = driver as Driver | null
  const { record, results } = await resultsOfLoad(task, ending, {
    kind,
    run,
    startedMs,
    judged,
    seen,
    k6: used?.k6 ?? '',
    plans: used?.folder.plans ?? [],
  })
  printResults(results, terminal, options)
  if (used === null || options.out === undefined) return results.verdict.exit
  writeRecord(used.folder.path, record)
  return tellReports(used.folder.path, results, terminal)
}

async function endOf(task: LoadTask, session: LoadSession, redactor: Redactor): Promise<Ending> {
  try {
    return { undecided: await task.conduct(session), brokenOff: null, stopped: null }
  } catch (error) {
    if (session.signal.aborted) return { undecided: new Map(), brokenOff: null, stopped: null }
    const ending = endingOf(error, session.judged, redactor)
    if (ending === null) throw error
    return ending
  } finally {
    await task.tidy?.(session)
  }
}
