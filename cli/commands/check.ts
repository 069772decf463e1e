import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type RuleRow, rules } from '../../generated/rules.ts'
import { counted } from '../../harness/common/counted.ts'
import { planeOfRule } from '../../harness/planes/index.ts'
import type { Progress, RunOptions } from '../../harness/run/options.ts'
import { judgedByLoad } from '../../load/analyse/rules.ts'
import { exitCodes } from '../../results/types.ts'
import type { Target } from '../../target/types.ts'
import { type ChildEnd, type ChildRun, startChild } from '../child.ts'
import { digestsOf } from '../digests.ts'
import { BrokenError, UsageError } from '../errors.ts'
import { moduleFile, version } from '../home.ts'
import { watchInterruption } from '../interrupt.ts'
import { tellLeft } from '../leftovers.ts'
import { type LoadFlags, type PreparedLoad, prepareLoad, refuseFullDisk } from '../load/prepare.ts'
import { loadProfiles } from '../load/select.ts'
import { withOutput } from '../lock.ts'
import { temporaryFolder } from '../places.ts'
import { noProgress, showProgress } from '../progress.ts'
import { prepareOutput, resultsOf, tellReports } from '../record.ts'
import { newRunId } from '../run-id.ts'
import { beginLedger, readLedger, resourcesFile, writeOwner } from '../runs.ts'
import { profilesOf, readProfiles, selectRules } from '../select.ts'
import { refuseStandingClock } from '../standing-clock.ts'
import { type SweepOptions, type Swept, sweepRun } from '../sweep.ts'
import { interruptedMs } from '../sweep-patience.ts'
import { readTarget } from '../target.ts'
import type { Terminal } from '../terminal.ts'
import { printResults } from '../text.ts'

export interface CheckOptions {
  readonly target?: string
  readonly only: readonly string[]
  readonly profile?: string
  readonly out?: string
  readonly seed?: number
  readonly strict: boolean
  readonly keep: boolean
  readonly quiet: boolean
  /** Longest duration of the run, ms. */
  readonly budget?: number
  /** Highest cost of the run in USD, planned and actual. */
  readonly maxCost?: number
  /** Set if load is driven once all other rules are judged. */
  readonly load?: LoadFlags
}

/** The rows that `check` judges: those with a function in the suites. `load` judges the others. */
export const judged = rules.filter(({ id }) => !judgedByLoad.has(id))

/** A run on a controlled clock takes seconds; one with a slow or useless clock ends within this, real ms. */
const controlledBudgetMs = 1_800_000

/** How long the run may take to write its record after an interruption, real ms. */
const graceMs = 1_000

/** The last words of the process that runs the rules if its record cannot grow. */
const saysFull = /\b(ENOSPC|EDQUOT)\b/

/** Judges the rules against a target, or against the reference in process. Returns the exit code. */
export async function check(options: CheckOptions, terminal: Terminal): Promise<number> {
  if (options.keep && options.target === undefined) {
    throw new UsageError('--keep leaves pods on a target; those of --reference end with the run')
  }
  if (options.maxCost !== undefined && options.target === undefined) {
    throw new UsageError('--max-cost is for a target; --reference costs nothing')
  }
  const file = options.target === undefined ? null : resolve(terminal.cwd, options.target)
  const target = options.target === undefined ? null : await readTarget(options.target, terminal)
  const { profiles, selected } = await selectionOf(options, target, terminal)
  if (target !== null) await refuseStandingClock(target)
  const own = selected.filter((id) => !judgedByLoad.has(id))
  const planned = own.length === 0 ? {} : await plannedFor(target, own, options, terminal)
  const load = await loadFor(selected, target, options, terminal)
  const run = newRunId()
  const judge = (evidence: string) => {
    if (load !== null) refuseFullDisk(evidence, load.estimate)
    return conduct({
      plan: {
        run,
        plumbline: version(),
        seed: options.seed ?? randomInt(2 ** 31),
        startedMs: Date.now(),
        profiles,
        strict: options.strict,
        keep: options.keep,
        rules: selected,
        ...planned,
        ...(load !== null && { load: load.options }),
        target,
        targetFile: options.target ?? null,
        embed: target === null ? pathToFileURL(moduleFile('proof/instance')).href : null,
        digests: digestsOf(target),
        evidence,
        resources: target === null ? null : resourcesFile(terminal.cwd, run),
      },
      file,
      options,
      terminal,
    })
  }
  return inFolder(options.out, terminal.cwd, judge)
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

interface Conduct {
  readonly plan: RunOptions
  readonly file: string | null
  readonly options: Pick<CheckOptions, 'keep' | 'out' | 'quiet'>
  readonly terminal: Terminal
  /** Tells of the record in place of its results. Returns the exit code. */
  readonly tellRecord?: (folder: string) => Promise<number>
}

/** Runs what `plan` says in a process, removes what it leaves, and reports. Returns the exit code. */
export async function conduct({ plan, file, options, terminal, tellRecord }: Conduct): Promise<number> {
  const { run, target } = plan
  if (target !== null) {
    writeOwner(terminal.cwd, run, [process.pid])
    beginLedger(terminal.cwd, run, file, target)
  }
  let child: ChildRun | null = null
  const interruption = watchInterruption(() => {
    child?.kill()
    terminal.err(`plumbline: ended at once; npx plumbline sweep ${run} removes what is left`)
  })
  const progress = options.quiet ? noProgress : showProgress(terminal)
  /** A process that outlives the run is known to `sweep`, which waits for its end. */
  function told(line: Progress): void {
    if (line.type === 'process') writeOwner(terminal.cwd, run, [process.pid, child?.pid ?? process.pid, line.id])
    // Nothing is judged if only the record is told of.
    if (tellRecord === undefined || line.type === 'plan' || line.type === 'shown') progress.tell(line)
  }
  try {
    const running = startChild({ options: plan, environment: terminal.environment, onProgress: told })
    child = running
    if (target !== null) writeOwner(terminal.cwd, run, [process.pid, running.pid])
    const { signal } = interruption
    const stop = () => void running.stop(graceMs)
    signal.addEventListener('abort', stop)
    if (target !== null) signal.addEventListener('abort', () => tellCleaning(terminal, progress))
    const end = await running.ended
    signal.removeEventListener('abort', stop)
    progress.end()
    const swept =
      target === null
        ? null
        : await sweepLeft(terminal, run, target, {
            leaveKept: options.keep,
            signal,
          })
    if (swept !== null) tellSwept(terminal, swept, run)
    if (signal.aborted) {
      if (options.out !== undefined) tellReports(plan.evidence, await resultsOf(plan.evidence), terminal)
      terminal.err(`plumbline: interrupted${swept === null || swept.failed.length > 0 ? '' : ', and cleaned up'}`)
      return exitCodes.interrupted
    }
    if (!end.inOrder) {
      if (!saysFull.test(end.said)) throw new BrokenError(brokenSentence(end))
      terminal.err(
        `plumbline: the disk of ${plan.evidence} is full, so the record is incomplete and nothing is judged; free some space, or choose another folder with --out`,
      )
      return exitCodes.incomplete
    }
    if (tellRecord !== undefined) return await tellRecord(plan.evidence)
    const results = await resultsOf(plan.evidence)
    printResults(results, terminal, options)
    const exit = options.out === undefined ? results.verdict.exit : tellReports(plan.evidence, results, terminal)
    return signal.aborted ? exitCodes.interrupted : exit
  } finally {
    progress.end()
    interruption.end()
  }
}

function refuseLoad(only: readonly string[]): void {
  const id = only.find((pattern) => judgedByLoad.has(pattern))
  if (id === undefined) return
  throw new UsageError(`--only: ${id} is judged by load; run npx plumbline load ${planeOfRule(id).load} --only ${id}`)
}

/** Plans a run in real time, prints the plan, and returns its budget and the rules that it leaves out. */
async function plannedFor(
  target: Target | null,
  selected: readonly string[],
  { budget, maxCost, quiet }: CheckOptions,
  terminal: Terminal,
): Promise<Pick<RunOptions, 'leftOut' | 'budgetMs' | 'maxCost'>> {
  if (budget === undefined && maxCost === undefined && target?.clock !== 'real')
    return target === null ? {} : { budgetMs: controlledBudgetMs }
  // Loaded on demand: the plan imports every suite.
  const { defaultBudgetMs, planOf, refuseCost } = await import('../plan.ts')
  const { plan, lines } = await planOf(target, selected, budget)
  if (!quiet) for (const line of lines) terminal.err(line)
  if (target !== null) refuseCost(plan, target, maxCost)
  return {
    leftOut: plan.leftOut,
    budgetMs: budget ?? (target?.clock === 'real' ? defaultBudgetMs : controlledBudgetMs),
    ...(maxCost !== undefined && { maxCost }),
  }
}

/** The rules of a run and their profiles: those of the list, else core, of the reference all; and of rules named by id. */
export async function selectionOf(
  { only, profile, load }: Pick<CheckOptions, 'only' | 'profile' | 'load'>,
  target: Target | null,
  terminal: Terminal,
): Promise<{ readonly profiles: string[]; readonly selected: string[] }> {
  if (load === undefined) refuseLoad(only)
  const rows = load === undefined ? judged : rules
  const listed = profilesFor(profile, target, load === undefined ? [] : loadProfiles, rows)
  const chosen = selectRules(rows, { only, profiles: listed })
  const named = rows.filter(({ id }) => only.includes(id)).map(({ profile }) => profile)
  const profiles = [...new Set([...listed, ...named])]
  if (only.length === 0) return { profiles, selected: chosen }
  // Loaded only if needed: it imports every suite.
  const { withFeeders } = await import('../feeders.ts')
  return { profiles, selected: withFeeders(chosen, terminal) }
}

function profilesFor(
  list: string | undefined,
  target: Target | null,
  ofLoad: readonly string[],
  rows: readonly RuleRow[],
): string[] {
  if (list === undefined) return target === null ? profilesOf(rows) : ['core', ...ofLoad]
  const known = profilesOf(rows)
  const unjudged = list
    .split(',')
    .find((name) => !known.includes(name.trim()) && profilesOf(rules).includes(name.trim()))
  if (unjudged === undefined) return readProfiles(list, rows)
  throw new UsageError(
    `--profile: ${unjudged} is judged by load; add --load, or run npx plumbline load limits --target FILE, or load pods`,
  )
}

/** The load of a run; null without `--load`. */
async function loadFor(
  selected: readonly string[],
  target: Target | null,
  { load, maxCost }: CheckOptions,
  terminal: Terminal,
): Promise<PreparedLoad | null> {
  if (load === undefined) return null
  if (target === null) {
    throw new UsageError(
      '--load needs a target over HTTP; npx plumbline serve --clock real --print-target FILE serves the reference as one',
    )
  }
  const ids = selected.filter((id) => judgedByLoad.has(id))
  if (ids.length === 0)
    throw new UsageError(`--load: no rule of load is selected; add --profile ${loadProfiles.join(',')}`)
  const prepared = await prepareLoad(ids, target, load, terminal)
  const { jobPrice } = target.budget
  const { jobs } = prepared.estimate
  if (maxCost !== undefined && jobs > 0 && (jobPrice === null || jobs * jobPrice > maxCost)) {
    throw new UsageError(`--max-cost ${maxCost}: the jobs of this load may cost more; raise it, or leave out --load`)
  }
  return prepared
}

function tellCleaning({ err }: Terminal, progress: { end(): void }): void {
  progress.end()
  err(
    `plumbline: interrupted; removing what the run created, for ${interruptedMs / 1000} s at most; a second signal ends it at once`,
  )
}

/** Removes what the run itself did not; pods that it keeps on purpose stay. */
function sweepLeft(
  terminal: Terminal,
  run: string,
  target: Target,
  { signal, ...how }: Pick<SweepOptions, 'leaveKept'> & { readonly signal: AbortSignal },
): Promise<Swept> {
  const end = { signal, goesOnMs: interruptedMs }
  return sweepRun({ ledger: readLedger(terminal.cwd, run), target, ...how, end })
}

function tellSwept(terminal: Terminal, { removed, kept, expiring, failed }: Swept, run: string): void {
  if (removed.length > 0) terminal.err(`removed ${counted(removed.length, 'pod')} left by the run`)
  if (kept.length > 0) {
    terminal.err(
      `kept ${counted(kept.length, 'pod')} of failed rules (${kept.join(', ')}); npx plumbline sweep ${run} removes them`,
    )
  }
  if (expiring !== null) terminal.err(expiring)
  tellLeft(failed, run, terminal)
}

function brokenSentence({ code, signal, said }: ChildEnd): string {
  const how = signal === null ? `with code ${code}` : `by ${signal}`
  const more = said === '' ? '; PLUMBLINE_DEBUG=1 shows what it says' : `; it said:\n${said}`
  return `the process that runs the rules ended ${how} before it was done${more}`
}
