import { randomInt } from 'node:crypto'
import { listedByPlan } from '../../harness/plan/text.ts'
import { judgedByLoad } from '../../harness/rule/load-rules.ts'
import type { RunOptions } from '../../harness/run/options.ts'
import type { Target } from '../../target/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { refuseStandingClock } from '../shared/clocks.ts'
import { UsageError } from '../shared/errors.ts'
import { parseFormats } from '../shared/formats.ts'
import type * as commands from '../shared/options.ts'
import { type LoadFlags, type PreparedLoad, prepareLoad } from '../shared/prepare-load.ts'
import { openReports, type RunCheckOptions, runCheck } from '../shared/run-check.ts'
import { loadProfiles, selectionOf } from '../shared/selection.ts'
import { readTarget, withTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'
import { type VendorRules, vendorRulesOf } from '../shared/vendor-rules.ts'
import { readBaseline, readFailed, toleratedFailures } from './earlier-run.ts'
import { withServer } from './server.ts'
import { againOnChange } from './watch.ts'

type Given = commands.OptionsOf<typeof commands.check>

/** With `load` if load is driven once all other rules are judged. */
type CheckOptions = Omit<Given, 'load'> & { readonly load?: LoadFlags }

/** A run on a controlled clock takes seconds; one with a slow or useless clock ends within this, real ms. */
const controlledBudgetMs = 1_800_000

/** Judges the rules against a target, or against the reference in process. Returns the exit code. */
export async function check(given: Given, terminal: Terminal): Promise<number> {
  const { watch, out } = given
  if (watch === undefined) return checkOnce(given, terminal)
  const files = parseFormats(given.format).files.map(({ name }) => name)
  const own = ['.plumbline', ...(out === undefined ? [] : [out]), ...files]
  return againOnChange(watch, own, () => checkOnce(given, terminal), terminal)
}

async function checkOnce(given: Given, terminal: Terminal): Promise<number> {
  const chosen = withLoad(withTarget(given, terminal))
  // Before an earlier run and the target file, which may name these rules.
  const vendor = await vendorRulesOf(chosen.rules, terminal.cwd)
  const options = withFailed(chosen, terminal)
  if (options === null) return exitCodes.conformant
  const opened = await open(options, vendor, terminal)
  const { start, wait, quiet } = options
  const run = async () => runCheck(await prepare(opened, terminal))
  return opened.target === null ? run() : withServer(opened.target, { start, wait, quiet }, terminal, run)
}

/** The run that the flags ask for, planned but not begun. `given`: a target that is not read from a file. */
export async function prepareCheck(flags: Given, terminal: Terminal, given?: Target): Promise<RunCheckOptions> {
  const options = withLoad(given === undefined ? withTarget(flags, terminal) : flags)
  return prepare(await open(options, await vendorRulesOf(options.rules, terminal.cwd), terminal, given), terminal)
}

type Opened = Awaited<ReturnType<typeof open>>

/** Reads all that the flags name. Throws UsageError for flags that contradict each other. */
async function open(options: CheckOptions, vendor: VendorRules, terminal: Terminal, given?: Target) {
  refuseContradictions(options, options.target === undefined && given === undefined)
  const baseline = options.baseline === undefined ? null : readBaseline(options.baseline, options.out, terminal)
  const read = given ?? (options.target === undefined ? null : await readTarget(options.target, terminal))
  const { maxPods } = options
  const target = read && maxPods !== undefined ? { ...read, budget: { ...read.budget, fuzzPods: maxPods } } : read
  return { options, reports: openReports(options, terminal.cwd), baseline, vendor, target }
}

function refuseContradictions(options: CheckOptions, isReference: boolean): void {
  if (options.keep && isReference) {
    throw new UsageError('--keep leaves pods on a target; those of --reference end with the run')
  }
  if (options.maxCost !== undefined && isReference) {
    throw new UsageError('--max-cost is for a target; --reference costs nothing')
  }
  if (options.maxPods !== undefined && isReference) {
    throw new UsageError('--max-pods is for a target; pods of --reference cost nothing')
  }
  if ((options.start ?? options.wait) !== undefined && isReference) {
    throw new UsageError('--start and --wait are for a target; --reference runs in this process')
  }
  if (options.failFast && options.load !== undefined) {
    throw new UsageError('--fail-fast cannot be combined with --load, which is judged after all other rules')
  }
}

async function prepare({ options, reports, baseline, vendor, target }: Opened, terminal: Terminal) {
  const { profiles, selected } = await selectionOf(options, target, terminal, vendor.rows)
  if (target !== null) await refuseStandingClock(target)
  const own = selected.filter((id) => !judgedByLoad.has(id))
  const { expectedMs, ...planned } = own.length === 0 ? {} : await plannedFor(target, own, options, terminal)
  const load = await loadFor(selected, target, options, terminal)
  const { seed = randomInt(2 ** 31), strict, keep, quiet, failFast, rules: rulesFolder } = options
  return {
    plan: {
      seed,
      profiles,
      strict,
      keep,
      rules: selected,
      ...planned,
      ...(load !== null && { load: load.options }),
      ...(failFast && { failFast: { tolerated: toleratedFailures(target, baseline) } }),
    },
    ...(rulesFolder !== undefined && { rulesFolder }),
    vendor,
    target,
    targetFile: options.target ?? null,
    ...reports,
    quiet,
    baseline,
    estimate: load?.estimate ?? null,
    ...(expectedMs !== undefined && { expectedMs: expectedMs + 1_000 * (load?.estimate.seconds ?? 0) }),
    terminal,
  }
}

/** The options of check, those of load apart. */
function withLoad({ load, iOwnThis, maxRequests, maxSeconds, windowScale, ...options }: Given): CheckOptions {
  const flags = { iOwnThis, maxRequests, maxSeconds, windowScale }
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
  if (load === true) return { ...options, load: { ...given, quiet: options.quiet } }
  const [name] = Object.keys(given)
  if (name === undefined) return options
  throw new UsageError(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} needs --load`)
}

/** The options with the rules that failed in the run of `--rerun-failed`; null if none did, of which it says so. */
function withFailed(options: CheckOptions, terminal: Terminal): CheckOptions | null {
  const { rerunFailed, only, profile, load } = options
  if (rerunFailed === undefined) return options
  if (only.length > 0 || profile !== undefined) {
    throw new UsageError('--rerun-failed selects the rules; leave out --only and --profile')
  }
  const failed = readFailed(rerunFailed, load !== undefined, terminal)
  if (failed.only.length === 0) {
    terminal.out(`nothing failed in ${rerunFailed}, so there is nothing to rerun`)
    return null
  }
  return { ...(failed.seed !== null && { seed: failed.seed }), ...options, only: [...failed.only] }
}

/** Plans a run in real time, prints the plan, and returns its budget and the rules that it leaves out. */
async function plannedFor(
  target: Target | null,
  selected: readonly string[],
  { budget, maxCost, quiet }: CheckOptions,
  terminal: Terminal,
): Promise<Pick<RunOptions, 'leftOut' | 'isSparing' | 'reserve' | 'budgetMs' | 'maxCost'> & { expectedMs?: number }> {
  if (budget === undefined && maxCost === undefined && target?.clock !== 'real')
    return target === null ? {} : { budgetMs: controlledBudgetMs }
  // Loaded on demand: the plan imports every suite.
  const { planOf, refuseCost } = await import('../shared/plan.ts')
  const { budgetMs, plan, lines } = await planOf(target, selected, { budget, maxCost }, listedByPlan)
  if (!quiet) for (const line of lines) terminal.err(line)
  if (target !== null) refuseCost(plan, target, maxCost)
  return {
    leftOut: plan.leftOut,
    isSparing: plan.isSparing,
    reserve: plan.reserve,
    budgetMs: budgetMs ?? controlledBudgetMs,
    ...(target?.clock === 'real' && { expectedMs: plan.expectedMs }),
    ...(maxCost !== undefined && { maxCost }),
  }
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
      '--load needs a target over HTTP; plumbline serve --clock real --print-target FILE serves the reference as one',
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
