import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { planeOfOperation } from '../../harness/planes/index.ts'
import { Blocked, Inconclusive, NotApplicable, Unclaimed } from '../../harness/rule/outcome.ts'
import type { Target } from '../../target/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { refusalBefore } from '../shared/ask.ts'
import { refuseStandingClock } from '../shared/clocks.ts'
import { slowdownBy, watchProcessor } from '../shared/comparison/busy.ts'
import { type Answer, compareRounds, exitOfAnswers, levelOf } from '../shared/comparison/compare.ts'
import { summaryLines, summaryPage } from '../shared/comparison/summary.ts'
import { UsageError } from '../shared/errors.ts'
import { type Interruption, watchInterruption } from '../shared/interrupt.ts'
import { withOutput } from '../shared/lock.ts'
import type * as commands from '../shared/options.ts'
import { isFile, temporaryFolder, writableFolder } from '../shared/output-folders.ts'
import { program } from '../shared/package-paths.ts'
import { resultsFile } from '../shared/read-results.ts'
import { readTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'
import { measuresOf, minRounds } from './measures.ts'
import { type MeasuredOperation, operationsOf } from './operations.ts'
import { paced } from './paced.ts'
import { plotsOf } from './plots.ts'
import { isStored, type MeasuredSide, readStored, resultOf, storedFolder, writeResult } from './result.ts'
import { measure, type SideValues } from './rounds.ts'
import { openSide, type Side } from './side.ts'
import { summarize } from './summary.ts'
import { checked, checkFolder, compareVerdicts, removeChecks } from './verdicts.ts'

type Options = commands.OptionsOf<typeof commands.regress>

/** A target file and its target. */
interface Named {
  readonly file: string
  readonly target: Target
}

interface Regressing {
  readonly options: Options
  readonly seed: number
  readonly folder: string
  readonly terminal: Terminal
  /** The targets to measure: the baseline, if it is one, and the candidate. */
  readonly targets: readonly Named[]
  /** The stored run that is the baseline; null if it is a target. */
  readonly stored: { readonly folder: string; readonly side: MeasuredSide } | null
  readonly operations: readonly MeasuredOperation[]
}

/** Compares a candidate with a baseline: verdicts, readings, latency, throughput, errors and 429. */
export async function regress(options: Options, terminal: Terminal): Promise<number> {
  const { cwd } = terminal
  const { baseline, candidate, out, operation, rounds, seed = randomInt(2 ** 31) } = options
  const earlier = storedFolder(cwd, baseline)
  const stored = earlier === null ? null : { folder: earlier, side: readStored(earlier, baseline) }
  if (earlier !== null && options.check && !isFile(resultsFile(cwd, checkFolder(earlier, 'candidate'))))
    throw new UsageError(`--baseline ${baseline} was made without a check; add --no-check to compare the rest`)
  const files = stored === null ? [baseline, candidate] : [candidate]
  const targets: Named[] = []
  for (const file of files) targets.push({ file, target: await realTarget(file, terminal) })
  const all = operationsOf(
    operation,
    targets.map(({ target }) => target),
  )
  const operations = stored === null ? all : all.filter((name) => name in stored.side.operations)
  if (operations.length === 0) throw new UsageError(`--baseline ${baseline} has none of the operations to measure`)
  const least = minRounds(operations)
  if (rounds < least)
    throw new UsageError(
      `--rounds ${rounds} is too few to find a difference among ${operations.length} operations; give at least ${least}, or fewer operations with --operation`,
    )
  return withOutput(cwd, out, async () => {
    const folder = out === undefined ? temporaryFolder('plumbline-') : writableFolder(cwd, '--out', out)
    if (folder === stored?.folder)
      throw new UsageError(`--out ${out} would replace the baseline; choose another folder`)
    if (isStored(folder)) removeChecks(folder)
    try {
      return await compareAll({ options, seed, folder, terminal, targets, stored, operations })
    } finally {
      if (out === undefined) rmSync(folder, { recursive: true, force: true })
    }
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
    const answers = await measured(regressing, interruption, verdicts?.text ?? null)
    return exitOf(answers, verdicts?.exit ?? exitCodes.conformant)
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
async function verdictsOf(regressing: Regressing): Promise<Awaited<ReturnType<typeof compareVerdicts>> | number> {
  const { options, seed, folder, terminal, targets, stored } = regressing
  const sides = stored === null ? (['baseline', 'candidate'] as const) : (['candidate'] as const)
  for (const [at, side] of sides.entries()) {
    const file = targets[at]?.file ?? ''
    terminal.err(`checking the ${side}, ${file}`)
    const end = await checked(file, checkFolder(folder, side), { ...options, seed }, terminal)
    if (end !== null) return end
  }
  const before = stored === null ? checkFolder(folder, 'baseline') : checkFolder(stored.folder, 'candidate')
  return compareVerdicts(before, checkFolder(folder, 'candidate'), terminal)
}

/** Measures, prints and keeps the result. */
async function measured(
  regressing: Regressing,
  interruption: Interruption,
  verdicts: string | null,
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
  const { tolerance } = options
  const busy = slowdownBy(waitedShare)
  const answers = compareRounds(roundsOf(baseline), roundsOf(candidate), {
    ...{ measuresOf, seed, tolerance, isPaired, busy },
  })
  const level = levelOf(answers.length)
  const result = resultOf({
    seed,
    tolerance,
    level,
    waitedShare,
    isInterleaved: isPaired,
    baseline,
    candidate,
    answers,
  })
  const summary = summarize(result)
  writeResult(folder, result, summaryPage(summary, plotsOf(result), verdicts))
  if (options.json) terminal.out(JSON.stringify({ ...result, verdicts }, null, 2))
  else {
    if (verdicts !== null) terminal.out(`${verdicts}\n`)
    for (const line of summaryLines(summary, terminal.colors)) terminal.out(line)
  }
  return answers
}

function roundsOf({ operations }: MeasuredSide) {
  return Object.fromEntries(Object.entries(operations).map(([name, { rounds }]) => [name, rounds]))
}

async function measureTargets(regressing: Regressing, interruption: Interruption): Promise<SideValues[]> {
  const { options, seed, terminal, targets, operations, stored } = regressing
  const sides: Side[] = []
  try {
    for (const { file, target } of targets)
      sides.push(
        await openSide({ target, file, seed, connections: paced.requests, operations, interruption }, terminal),
      )
    const onRound = (round: number) => {
      if (round === 0) terminal.err(`measuring ${operations.join(', ')} in ${options.rounds} rounds`)
    }
    const { signal } = interruption
    const known = stored?.side.operations ?? null
    return await measure({ sides, operations, rounds: options.rounds, seed, signal, onRound, stored: known })
  } catch (error) {
    const ended = sides.map((side) => side.ended()).find((reason) => reason !== null)
    throw ended === undefined ? error : new Inconclusive(ended)
  } finally {
    let left = 0
    for (const side of sides) left += await side.close()
    if (interruption.signal.aborted) terminal.err(`plumbline: interrupted${left === 0 ? ', and cleaned up' : ''}`)
  }
}

/** A difference of the verdicts counts before too much noise. */
function exitOf(answers: readonly Answer[], verdicts: number): number {
  const exit = exitOfAnswers(answers)
  return exit === exitCodes['not conformant'] || verdicts === exitCodes.conformant ? exit : verdicts
}

/** True for errors that say what the target did or lacks. */
function isAboutTarget(error: unknown): boolean {
  return [Blocked, Inconclusive, Unclaimed, NotApplicable].some((kind) => error instanceof kind)
}
