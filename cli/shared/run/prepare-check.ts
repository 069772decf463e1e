import { randomInt } from 'node:crypto'
import { listedByPlan } from '../../../harness/plan/text.ts'
import { judgedByLoad } from '../../../harness/rule/load-rules.ts'
import type { RunOptions } from '../../../harness/run/options.ts'
import type { NamedResults } from '../../../results/merge.ts'
import type { Target } from '../../../target/types.ts'
import { UsageError } from '../errors.ts'
import type * as commands from '../options.ts'
import { readTarget, withTarget } from '../target.ts'
import type { Terminal } from '../terminal.ts'
import { refuseStandingClock } from './clocks.ts'
import { readBaseline, toleratedFailures } from './earlier-run.ts'
import { type LoadFlags, type PreparedLoad, prepareLoad } from './prepare-load.ts'
import { openReports, type RunCheckOptions } from './run-check.ts'
import { loadProfiles, selectionOf } from './selection.ts'
import { type VendorRules, vendorRulesOf } from './vendor-rules.ts'

/** The flags of check. */
export type CheckFlags = commands.OptionsOf<typeof commands.check>

const none = { reference: false, only: [], format: [], strict: false, keep: false, failFast: false, quiet: false }

type GivenFlags = { readonly [K in keyof CheckFlags]?: CheckFlags[K] | undefined }

/** The flags of a check that another command runs. One that is missing or undefined is not set. */
export function checkFlags(given: GivenFlags): CheckFlags {
  return { ...none, ...given } as CheckFlags
}

/** With `load` if load is driven once all other rules are judged. */
export type CheckOptions = Omit<CheckFlags, 'load'> & { readonly load?: LoadFlags }

/** A run on a controlled clock takes seconds; one with a slow or useless clock ends within this, real ms. */
const controlledBudgetMs = 1_800_000

/** The run that the flags ask for, planned but not begun. `given`: a target that is not read from a file. */
export async function prepareCheck(flags: CheckFlags, terminal: Terminal, given?: Target): Promise<RunCheckOptions> {
  const options = withLoad(given === undefined ? withTarget(flags, terminal) : flags)
  return prepareOpened(
    await openCheck(options, await vendorRulesOf(options.rules, terminal.cwd), terminal, given),
    terminal,
  )
}

type Opened = Awaited<ReturnType<typeof openCheck>>

/** Reads all that the flags name, and selects the rules. */
export async function openCheck(options: CheckOptions, vendor: VendorRules, terminal: Terminal, given?: Target) {
  const baseline = options.baseline === undefined ? null : readBaseline(options.baseline, options.out, terminal)
  const read = given ?? (options.target === undefined ? null : await readTarget(options.target, terminal))
  const { maxPods } = options
  const target = read && maxPods !== undefined ? { ...read, budget: { ...read.budget, fuzzPods: maxPods } } : read
  const selection = await selectionOf(options, target, terminal, vendor.rows)
  return { options, reports: openReports(options, terminal.cwd), baseline, vendor, target, selection }
}

/** The run that opened flags ask for, planned but not begun. */
export async function prepareOpened(
  { options, reports, baseline, vendor, target, selection }: Opened,
  terminal: Terminal,
) {
  const { profiles, selected } = selection
  if (target !== null) await refuseStandingClock(target)
  const own = selected.filter((id) => !judgedByLoad.has(id))
  const { expectedMs, ...planned } = own.length === 0 ? {} : await plannedFor(target, own, options, terminal)
  const load = await loadFor(selected, target, options, terminal)
  const { strict, keep, quiet, failFast, rules: rulesFolder } = options
  const seed = options.seed ?? seedOf(baseline, quiet, terminal) ?? randomInt(2 ** 31)
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

/** The seed of the baseline, of which it says so: with another one, rules might fail that passed by chance. */
function seedOf(baseline: NamedResults | null, quiet: boolean, { err }: Terminal): number | null {
  const seed = baseline?.results.run.seed ?? null
  if (baseline !== null && seed !== null && !quiet) err(`seed ${seed}, as in the baseline ${baseline.name}`)
  return seed
}

/** The options of check, those of load apart. */
export function withLoad({
  load,
  iOwnThis,
  maxRequests,
  maxSeconds,
  windowScale,
  ...options
}: CheckFlags): CheckOptions {
  const flags = { iOwnThis, maxRequests, maxSeconds, windowScale }
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
  if (load === true) return { ...options, load: { ...given, quiet: options.quiet } }
  const [name] = Object.keys(given)
  if (name === undefined) return options
  throw new UsageError(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} needs --load`)
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
  const { planOf, refuseCost } = await import('./plan.ts')
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
