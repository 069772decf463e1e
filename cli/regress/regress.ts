import { randomInt } from 'node:crypto'
import { planeOfOperation } from '../../harness/planes/index.ts'
import { Blocked, Inconclusive, NotApplicable, Unclaimed } from '../../harness/rule/outcome.ts'
import { renderComparison } from '../../reports/comparison.ts'
import type { Comparison } from '../../results/compare.ts'
import type { NamedResults } from '../../results/merge.ts'
import type { Target } from '../../target/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { refusalBefore } from '../shared/ask.ts'
import { slowdownBy, watchProcessor } from '../shared/comparison/busy.ts'
import { type Answer, compareRounds, exitOfAnswers, levelOf } from '../shared/comparison/compare.ts'
import { summaryLines, summaryPage } from '../shared/comparison/summary.ts'
import { UsageError } from '../shared/errors.ts'
import { type Interruption, watchInterruption } from '../shared/interrupt.ts'
import type * as commands from '../shared/options.ts'
import { program } from '../shared/package-paths.ts'
import { refuseStandingClock } from '../shared/run/clocks.ts'
import { compareRuns } from '../shared/run/compare-runs.ts'
import { withOutput } from '../shared/run/lock.ts'
import { readTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'
import { measuresOf, minRounds } from './measures.ts'
import { type MeasuredOperation, operationsOf } from './operations.ts'
import { paced } from './paced.ts'
import { plotsOf } from './plots.ts'
import { checkFolder, type MeasuredSide, openFolder, readStored, resultOf, type Stored, writeResult } from './result.ts'
import { measure, type SideValues } from './rounds.ts'
import { openSide, type Side } from './side.ts'
import { summarize } from './summary.ts'
import { checked, type Named } from './verdicts.ts'

type Options = commands.OptionsOf<typeof commands.regress>

interface Regressing {
  readonly options: Options
  readonly seed: number
  /** The folder of `--out`; null without it. */
  readonly folder: string | null
  readonly terminal: Terminal
  /** The targets to measure: the baseline, if it is one, and the candidate. */
  readonly targets: readonly Named[]
  /** The stored run that is the baseline; null if it is a target. */
  readonly stored: Stored | null
  readonly operations: readonly MeasuredOperation[]
}

/** Compares a candidate with a baseline: verdicts, readings, latency, throughput, errors and 429. */
export async function regress(options: Options, terminal: Terminal): Promise<number> {
  const { cwd } = terminal
  const { baseline, candidate, out, operation, rounds, seed = randomInt(2 ** 31) } = options
  const stored = readStored(baseline, options.check, cwd)
  const targets: Named[] = []
  for (const file of stored === null ? [baseline, candidate] : [candidate])
    targets.push({ file, target: await realTarget(file, terminal) })
  const all = operationsOf(
    operation,
    targets.map(({ target }) => target),
  )
  const operations = stored === null ? all : all.filter((name) => name in stored.side.operations)
  if (operations.length === 0) throw new UsageError(`--baseline ${baseline} has none of the operations to measure`)
  const least = minRounds(operations)
  if (rounds < least)
    throw new UsageError(
      `--rounds ${rounds} is too few to find a difference in ${operations.join(', ')}; give at least ${least}${operations.length > 1 ? ', or fewer operations with --operation' : ''}`,
    )
  return withOutput(cwd, out, async () => {
    const folder = out === undefined ? null : openFolder(cwd, out, stored)
    return compareAll({ options, seed, folder, terminal, targets, stored, operations })
  })
}

/** A target in real time. Throws UsageError for a controlled clock, on which latencies mean nothing. */
async function realTarget(file: string, terminal: Terminal): Promise<Target> {
  const target = await readTarget(file, terminal)
  if (target.clock !== 'real')
    throw new UsageError(
      `${file}: latencies cannot be measured on a controlled clock; leave out clock, and serve the target in real time`,
    )
  await refuseStandingClock(target)
  return target
}

async function compareAll(regressing: Regressing): Promise<number> {
  const { options, terminal, targets, operations } = regressing
  const planes = new Set(operations.map((operation) => planeOfOperation(operation).name))
  for (const { target } of targets) {
    const refusal = await refusalBefore(target, (plane) => planes.has(plane), 'regress', terminal.err)
    if (refusal === null) continue
    terminal.err(`plumbline: ${refusal.message}`)
    return refusal.exit
  }
  const verdicts = options.check ? await verdictsOf(regressing) : null
  if (typeof verdicts === 'number') return verdicts
  const interruption = watchInterruption(() =>
    terminal.err(`plumbline: ended at once; ${program} sweep removes what is left`),
  )
  try {
    const answers = await measured(regressing, interruption, verdicts)
    if (verdicts?.isWorse !== true) return exitOfAnswers(answers)
    // This counts before too much noise.
    terminal.err('plumbline: the verdicts of the candidate are worse, as said above the tables')
    return exitCodes['not conformant']
  } catch (error) {
    if (interruption.signal.aborted) return exitCodes.interrupted
    if (!isAboutTarget(error)) throw error
    terminal.err(`plumbline: the operations could not be measured: ${(error as Error).message}`)
    return exitCodes.incomplete
  } finally {
    interruption.end()
  }
}

/** The comparison of the checks of both sides, or the exit code that ends the command. */
async function verdictsOf({
  options,
  seed,
  folder,
  terminal,
  targets,
  stored,
}: Regressing): Promise<Comparison | number> {
  const check = async (side: 'baseline' | 'candidate', named: Named | undefined) => {
    if (named === undefined) throw new Error(`${side} is not a target`)
    terminal.err(`checking the ${side}, ${named.file}`)
    const out = folder === null ? undefined : checkFolder(folder, side)
    return checked(named, out, { ...options, seed }, terminal)
  }
  const before: NamedResults | number = stored?.results ?? (await check('baseline', targets[0]))
  if (typeof before === 'number') return before
  const after = await check('candidate', targets.at(-1))
  return typeof after === 'number' ? after : compareRuns(before, after)
}

/** Measures, prints and keeps the result. */
async function measured(
  regressing: Regressing,
  interruption: Interruption,
  comparison: Comparison | null,
): Promise<readonly Answer[]> {
  const { options, seed, folder, terminal, targets, stored } = regressing
  const measuredMs = Date.now()
  const waited = watchProcessor()
  const values = await measureTargets(regressing, interruption)
  const waitedShare = waited()
  const sides = targets.map(({ file }, at) => ({ file, measuredMs, operations: values[at] ?? {} }))
  const candidate = sides.at(-1) as MeasuredSide
  const baseline = stored?.side ?? (sides[0] as MeasuredSide)
  const isPaired = stored === null
  const { tolerance, json } = options
  const busy = slowdownBy(waitedShare)
  const answers = compareRounds(roundsOf(baseline), roundsOf(candidate), {
    ...{ measuresOf, seed, tolerance, isPaired, busy },
  })
  const level = levelOf(answers.length)
  const result = resultOf({
    ...{ seed, tolerance, level, waitedShare, isInterleaved: isPaired, baseline, candidate, answers },
  })
  const summary = summarize(result)
  const verdicts = comparison === null ? null : renderComparison(comparison).trimEnd()
  if (folder !== null) writeResult(folder, result, summaryPage(summary, plotsOf(result), verdicts))
  if (json) terminal.out(JSON.stringify({ ...result, verdicts }, null, 2))
  else {
    if (comparison !== null) terminal.out(renderComparison(comparison, terminal.colors))
    for (const line of summaryLines(summary, terminal.colors)) terminal.out(line)
  }
  return answers
}

function roundsOf({ operations }: MeasuredSide) {
  return Object.fromEntries(Object.entries(operations).map(([name, { rounds }]) => [name, rounds]))
}

async function measureTargets(regressing: Regressing, interruption: Interruption): Promise<SideValues[]> {
  const { options, seed, terminal, targets, operations, stored } = regressing
  const { rounds } = options
  const { signal } = interruption
  const sides: Side[] = []
  try {
    for (const { file, target } of targets)
      sides.push(
        await openSide({ target, file, seed, connections: paced.requests, operations, interruption }, terminal),
      )
    terminal.err(`measuring ${operations.join(', ')} in ${rounds} rounds`)
    return await measure({ sides, operations, rounds, seed, signal, stored: stored?.side.operations ?? null })
  } catch (error) {
    const ended = sides.map((side) => side.ended()).find((reason) => reason !== null)
    throw ended === undefined ? error : new Inconclusive(ended)
  } finally {
    let left = 0
    for (const side of sides) left += await side.close()
    if (signal.aborted) terminal.err(`plumbline: interrupted${left === 0 ? ', and cleaned up' : ''}`)
  }
}

/** True for errors that say what the target did or lacks. */
function isAboutTarget(error: unknown): boolean {
  return [Blocked, Inconclusive, Unclaimed, NotApplicable].some((kind) => error instanceof kind)
}
