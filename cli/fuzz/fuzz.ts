import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { quote } from 'shell-quote'
import { missingNeed } from '../../harness/claims/claims.ts'
import { ClockFault } from '../../harness/clock/state.ts'
import { rowOf } from '../../harness/run/rows.ts'
import { type FuzzFinding, findingSaid } from '../../suites/fuzz/findings.ts'
import { createLog } from '../../suites/fuzz/steps.ts'
import { type WalkPlaneName, walkPlanes } from '../../suites/walk/planes.ts'
import type { Target } from '../../target/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { refusalBefore } from '../shared/ask.ts'
import { UsageError } from '../shared/errors.ts'
import { aborted, watchInterruption } from '../shared/interrupt.ts'
import type * as commands from '../shared/options.ts'
import { program } from '../shared/package-paths.ts'
import { writableFile } from '../shared/records/output-folders.ts'
import { refuseStandingClock } from '../shared/run/clocks.ts'
import { redraw } from '../shared/run/progress.ts'
import { beginLedger, newRunId } from '../shared/run/runs.ts'
import { sweepOwn } from '../shared/sweep/sweep.ts'
import { readTarget, withTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'
import { bodyLines, curlOf, progressLine, report, walkLines, walkStepLine } from './fuzz-report.ts'
import type { Branch } from './fuzz-session.ts'
import { type FuzzOptions, type FuzzRun, fuzzTarget, replayOn, walkOn } from './fuzzing.ts'
import { type OpenTarget, openReference, openTarget } from './open-target.ts'

type Options = commands.OptionsOf<typeof commands.fuzz>

/** A run of the command. */
interface Fuzzing {
  readonly open: OpenTarget
  readonly seed: number
  readonly options: Options
  /** The planes of walks; none if bodies are sent. */
  readonly walks: readonly WalkPlaneName[]
  readonly branch: Branch
  readonly interrupted: AbortSignal
  readonly terminal: Terminal
}

/** Default numbers. */
const usualRuns = { cases: 10_000, walks: 200 } as const

/** Real ms for the last looks at pods, before `--duration` is over, and how long they may take beyond it. */
const lastLooksMs = 2_000
const overtimeMs = 500

/** Real ms beyond `--duration` for the search for causes, which needs about a dozen new pods, one after the other. */
const searchMs = 120_000

/** How long a run may take to end by itself after an interruption, real ms. */
const graceMs = 2_000

/** Sends generated bodies to a target or the reference, and compares each response with the oracle. */
export async function fuzz(given: Options, terminal: Terminal): Promise<number> {
  const options = withTarget(given, terminal)
  if (options.runs !== undefined && options.duration !== undefined)
    throw new UsageError('give either --runs or --duration, not both')
  if (options.path !== undefined && options.seed === undefined)
    throw new UsageError('--path needs the --seed that it belongs to')
  const form = options.walk === undefined ? casesPath : walkPath
  if (options.path !== undefined && !form.matches.test(options.path))
    throw new UsageError(`--path takes ${form.said}; got ${options.path}`)
  if (options.json !== undefined) writableFile(terminal.cwd, '--json', options.json)
  const target = options.target === undefined ? null : await readTarget(options.target, terminal)
  if (target !== null) await refuseStandingClock(target)
  const walks = walksOf(options, target)
  const open = await (target === null ? openReference() : openOrReport(target, walks, terminal))
  if (open === null) return exitCodes.unreachable
  const run = newRunId()
  const resources = target === null ? () => {} : beginLedger(terminal.cwd, run, options.target ?? null, target)
  const branch = { run, resources }
  const interruption = watchInterruption(() =>
    terminal.err(`plumbline: ended at once; ${program} sweep removes what is left`),
  )
  try {
    const seed = options.seed ?? randomInt(2 ** 31)
    const fuzzing = { open, seed, options, walks, branch, interrupted: interruption.signal, terminal }
    if (options.path === undefined) return await conducted(fuzzing)
    const again = (options.walk === undefined ? replayed : walkedAgain)(fuzzing, options.path)
    again.catch(() => {})
    return await Promise.race([again, givenUp(interruption.signal).then(() => exitCodes.interrupted)])
  } finally {
    await open.close()
    const left = target === null ? 0 : await sweepOwn(target, { run, leaveKept: false, interruption }, terminal)
    if (interruption.signal.aborted) terminal.err(`plumbline: interrupted${left === 0 ? ', and cleaned up' : ''}`)
    interruption.end()
  }
}

async function conducted(fuzzing: Fuzzing): Promise<number> {
  const { open, seed, options, walks, branch, interrupted, terminal } = fuzzing
  const isWalk = walks.length > 0
  const forMs = options.duration ?? null
  const most =
    forMs === null ? (options.runs ?? (isWalk ? usualRuns.walks : usualRuns.cases)) : Number.POSITIVE_INFINITY
  const findings = new Map<string, FuzzFinding>()
  const log = createLog()
  if (!isWalk) terminal.err(noCreations(options.target))
  const begunMs = performance.now()
  const progress = showProgress(terminal, { findings, log }, begunMs)
  // The last looks at pods take a while, too.
  const lastCaseMs = forMs === null ? Number.POSITIVE_INFINITY : forMs - Math.min(lastLooksMs, forMs / 4)
  try {
    const run = await fuzzTarget({
      open,
      seed,
      branch,
      walks,
      findings,
      log,
      goesOn: (cases) => cases < most && !interrupted.aborted && performance.now() - begunMs < lastCaseMs,
      onCase: progress.tick,
      ...(forMs === null && { maxPodless: most / 5 }),
      // A run that waits for a pod does not notice: it is abandoned after a moment, and the sweep removes its pods.
      cut: Promise.race([givenUp(interrupted), ...(forMs === null ? [] : [endOf(forMs, log, terminal)])]),
    })
    progress.end()
    await report(run, { ...fuzzing, seconds: (performance.now() - begunMs) / 1000 })
    return interrupted.aborted ? exitCodes.interrupted : exitOf(run, isWalk)
  } finally {
    progress.end()
  }
}

/** The first line of a run: creations cost pods, so only a rule with a bound on them sends some. */
function noCreations(target: string | undefined): string {
  const flag = target === undefined ? '--reference' : `--target ${quote([target])}`
  return `plumbline: sending bodies of actions and PATCH; for generated creations run ${program} check ${flag} --only pods.create.fuzz --max-pods N`
}

function exitOf({ findings, stopped, notes, refused, unsettled }: FuzzRun, walks: boolean): number {
  if (findings.length > 0) return exitCodes['not conformant']
  if (stopped?.isUnreachable === true) return exitCodes.unreachable
  const isLookedAt = walks || (refused > 0 && unsettled === 0)
  return stopped === null && notes.length === 0 && isLookedAt ? exitCodes.conformant : exitCodes.incomplete
}

/** Resolves when `--duration` is over: later if causes are being searched, or late effects were not looked for yet. */
async function endOf(forMs: number, log: ReturnType<typeof createLog>, { err }: Terminal): Promise<void> {
  await after(forMs + overtimeMs)
  if (log.undecided.size + log.unsettled.size === 0) return
  err(
    `plumbline: the time of --duration is over; searching for late effects and causes for at most ${searchMs / 60_000} minutes more`,
  )
  await after(searchMs)
}

const after = (ms: number) => sleep(ms, undefined, { ref: false })

/** Resolves `graceMs` after an interruption. */
const givenUp = (interrupted: AbortSignal) => aborted(interrupted).then(() => after(graceMs))

async function replayed({ open, seed, branch, terminal }: Fuzzing, path: string): Promise<number> {
  const { out, err } = terminal
  const { seen, stopped } = await replayOn(open, { seed, path }, branch)
  const reason = stopped ?? seen?.undecided ?? null
  if (reason !== null) {
    err(`plumbline: the case could not be judged: ${reason}`)
    return exitCodes.incomplete
  }
  if (seen === null) throw new UsageError(`--path ${path} is not in what --seed ${seed} draws for this target`)
  const { stage, cases, wrong, observed, expected, podless } = seen
  if (podless !== null) err(`plumbline: no pod could be made (${podless}); the body was sent to an unknown pod`)
  out(`${stage}: ${observed}, where ${findingSaid(seen)}`)
  out(`expected: ${expected}`)
  for (const line of bodyLines(cases)) out(line)
  for (const line of await curlOf(open.target, { stage, cases, isPodless: podless !== null })) out(line)
  out(wrong === null ? 'allowed' : 'not allowed')
  if (wrong !== null) return exitCodes['not conformant']
  return podless === null ? exitCodes.conformant : exitCodes.incomplete
}

async function walkedAgain({ open, seed, walks, branch, terminal }: Fuzzing, path: string): Promise<number> {
  const { out, err } = terminal
  const [plane = 'pods'] = walks
  const { seen, stopped } = await walkOn(open, { plane, seed, path }, branch)
  const failure = seen?.failure ?? null
  const reason = stopped ?? failure?.reason ?? failure?.failure ?? null
  if (reason !== null) {
    err(`plumbline: the walk could not be judged: ${reason}`)
    return exitCodes.incomplete
  }
  if (seen === null) throw new UsageError(`--path ${path} is not in what --seed ${seed} draws for this target`)
  const { calls, observed, expected } = seen
  for (const call of calls) out(walkStepLine(call))
  if (observed !== null) out(`observed: ${observed}`)
  if (observed !== null) out(`expected: ${expected}`)
  for (const line of await walkLines(open.target, seen)) out(line)
  out(observed === null ? 'allowed' : 'not allowed')
  return observed === null ? exitCodes.conformant : exitCodes['not conformant']
}

const casesPath = {
  matches: /^\d+(:\d+)*(,\d+(:\d+)*)*$/,
  said: 'numbers joined by colons, such as 1204:0:3, or several of these joined by commas',
}
const walkPath = {
  matches: /^\d+((:\d+)*@[\w+/]+:[\w+/]+)?$/,
  said: 'with --walk a number, or the path of a finding, such as 17:2:5@AABC:qK',
}

/** The planes to walk on: the named one, or all for which the target has what their rules need. None without `--walk`. */
function walksOf({ walk }: Options, target: Target | null): readonly WalkPlaneName[] {
  if (walk === undefined) return []
  const names = walk === true ? (Object.keys(walkPlanes) as WalkPlaneName[]) : [walk]
  if (target === null) return names
  const missing = names.map((name) => missingNeed(target, rowOf(walkPlanes[name].rule)))
  const offered = names.filter((_, at) => missing[at] === null)
  if (offered.length > 0) return offered
  throw new UsageError(`--walk needs pods, or jobs of the conformance worker: ${missing.map(String).join('; ')}`)
}

/** Opens a target whose planes look as they should; null if it does not answer, which is reported. */
async function openOrReport(
  target: Target,
  walks: readonly WalkPlaneName[],
  { err }: Terminal,
): Promise<OpenTarget | null> {
  const planes: readonly string[] = walks.length === 0 ? ['pods'] : walks
  if (target.pods === null && walks.length === 0)
    throw new UsageError('the target file has no address of the pod API; add pods')
  const refusal = await refusalBefore(target, (plane) => planes.includes(plane), 'fuzz', err)
  if (refusal?.exit === exitCodes.usage) throw new UsageError(refusal.message)
  if (refusal !== null) {
    err(`plumbline: ${refusal.message}`)
    return null
  }
  return await openTarget(target, walks.includes('queue')).catch((error: unknown) => {
    throw error instanceof ClockFault ? new UsageError(error.message) : error
  })
}

function showProgress(
  { live, err }: Terminal,
  { findings, log }: Required<Pick<FuzzOptions, 'findings' | 'log'>>,
  begunMs: number,
) {
  let cases = 0
  const line = () => {
    const seconds = (performance.now() - begunMs) / 1000
    return progressLine(cases, seconds, [...findings.values()], log.undecided.size > 0)
  }
  const tick = () => void cases++
  if (live) return { tick, end: redraw(line).end }
  const timer = setInterval(() => err(line()), 10_000)
  return { tick, end: () => clearInterval(timer) }
}
