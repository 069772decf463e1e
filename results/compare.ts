import { lengthOf } from '../harness/common/length.ts'
import { pluralize } from '../harness/common/pluralize.ts'
import { findingText } from '../harness/rule/outcome.ts'
import { isFailFast } from '../harness/run/cuts.ts'
import type { Verdict } from '../verdicts/verdicts.ts'
import { differencesOf, isFinished, type NamedResults } from './merge.ts'
import type { Results, RuleResult } from './types.ts'
import { aboutTheTarget } from './verdict.ts'

/** Version of the JSON that `compare` prints. */
const comparisonFormat = 1

/** How a rule can differ between two runs, in the order of reports: the first three are worse. */
export const changeKinds = [
  'newly failing',
  'newly unverified',
  'lost coverage',
  'fixed',
  'accepted',
  'new advice',
  'newly verified',
  'no longer verified',
  'changed reading',
  'changed time',
  'added',
  'retired',
] as const

export type ChangeKind = (typeof changeKinds)[number]

/** The outcome of a rule in a run; `accepted`: it failed, and an entry of `known:` accepts that. */
type State = Verdict | 'accepted' | 'not judged'

export interface Change {
  readonly rule: string
  readonly kind: ChangeKind
  readonly isWorse: boolean
  readonly was: State
  readonly is: State
  /** The findings, the reason, the readings or the times, in one line. */
  readonly note: string | null
}

/** How a run differs from an earlier one. */
export interface Comparison {
  readonly format: number
  readonly old: ComparedRun
  readonly new: ComparedRun
  /** Why the two may not be comparable, each as a sentence. */
  readonly caveats: readonly string[]
  /** By kind; changes of time begin with the largest. */
  readonly changes: readonly Change[]
  /** Rules that fail in both runs, in no other clause than before. */
  readonly stillFailing: readonly string[]
  readonly isWorse: boolean
}

interface ComparedRun extends Pick<Results['run'], 'id' | 'plumbline' | 'target' | 'startedMs' | 'seed' | 'profiles'> {
  readonly name: string
  /** On the target's clock. */
  readonly lengthMs: number
  readonly verdict: Results['verdict']
}

/** Facts about the rules of this version. */
interface KnownRules {
  /** True for the id of a rule that the ledger has. */
  readonly exists: (rule: string) => boolean
  /** True for a rule that sends requests of its own, so that its time is not that of the run. */
  readonly isScenario: (rule: string) => boolean
}

/** Both results of a rule; one is undefined if its run did not judge the rule. */
interface Pair {
  readonly before: RuleResult | undefined
  readonly after: RuleResult | undefined
}

const worse: ReadonlySet<ChangeKind> = new Set<ChangeKind>(['newly failing', 'newly unverified', 'lost coverage'])
const held: ReadonlySet<State> = new Set<State>(['passed', 'observed'])
const notOffered: ReadonlySet<State> = new Set<State>(['unclaimed', 'not-applicable'])

/** A change of time is listed from this on. */
const listedMs = 1_000
const listedFactor = 1.5

/**
 * The changes from the older to the newer of two results. A rule that only one of the runs selected has not changed, but
 * its failure is new if only the newer one selected it.
 */
export function compareResults(older: NamedResults, newer: NamedResults, rules: KnownRules): Comparison {
  const pairs = pairsOf(older.results.rules, newer.results.rules)
  const isAdded = ({ profile }: RuleResult) =>
    older.results.run.digests.ledger !== newer.results.run.digests.ledger &&
    older.results.run.profiles.includes(profile)
  const isOneClock = older.results.run.clock === newer.results.run.clock
  const isScenario = (rule: string) => isOneClock && rules.isScenario(rule)
  const changes = pairs
    .flatMap((pair) => changesOf(pair, isAdded, rules))
    .concat(timeChanges(pairs, isScenario))
    .sort((a, b) => changeKinds.indexOf(a.kind) - changeKinds.indexOf(b.kind))
  const failsAnew = new Set(changes.flatMap(({ kind, rule }) => (kind === 'newly failing' ? rule : [])))
  const stillFailing = newer.results.rules.filter((rule) => stateOf(rule) === 'failed' && !failsAnew.has(rule.id))
  return {
    format: comparisonFormat,
    old: summaryOf(older),
    new: summaryOf(newer),
    caveats: caveatsOf(older, newer, pairs, changes),
    changes,
    stillFailing: stillFailing.map(({ id }) => id),
    isWorse: changes.some(({ isWorse }) => isWorse),
  }
}

/** The rules of the newer run in its order, then those of the older one alone. */
function pairsOf(older: readonly RuleResult[], newer: readonly RuleResult[]): Pair[] {
  const before = new Map(older.map((rule) => [rule.id, rule]))
  const both = newer.map((after) => ({ before: before.get(after.id), after }))
  const now = new Set(newer.map(({ id }) => id))
  return [...both, ...older.filter(({ id }) => !now.has(id)).map((rule) => ({ before: rule, after: undefined }))]
}

function changesOf(
  pair: Pair,
  isAdded: (rule: RuleResult) => boolean,
  { exists }: Pick<KnownRules, 'exists'>,
): readonly Change[] {
  const { before, after } = pair
  const rule = after ?? before
  if (rule === undefined) return []
  const change: MakeChange = (kind, note = null) => [changeOf(pair, kind, note)]
  if (after === undefined) return exists(rule.id) ? [] : change('retired')
  if (stateOf(after) === 'failed') return failureOf(pair, change)
  if (isFailFast(after.reason)) return []
  if (before === undefined) return isAdded(after) ? change('added') : []
  return [...verdictChange(before, after, change), ...coverageChange(before, after, change)]
}

function changeOf({ before, after }: Pair, kind: ChangeKind, note: string | null): Change {
  const rule = (after ?? before)?.id ?? ''
  return { rule, kind, isWorse: worse.has(kind), was: stateOf(before), is: stateOf(after), note }
}

type MakeChange = (kind: ChangeKind, note?: string | null) => Change[]

/** The change of a rule that fails now: a failure is new if the older run has none in the same clause. */
function failureOf({ before, after }: Pair, change: MakeChange): Change[] {
  const findings = after?.findings ?? []
  const earlier = before !== undefined && stateOf(before) === 'failed' ? before.findings : null
  if (earlier === null) return change('newly failing', findingNote(findings[0]))
  const known = new Set(earlier.map(({ clause }) => clause))
  const other = findings.find(({ clause }) => !known.has(clause))
  if (other === undefined) return []
  return change('newly failing', `${findingNote(other)} (failed in ${[...known].join(', ')} before)`)
}

function verdictChange(before: RuleResult, after: RuleResult, change: MakeChange): Change[] {
  const [was, is] = [stateOf(before), stateOf(after)]
  if (was === is) return []
  if (is === 'accepted') return change('accepted', after.known === null ? null : acceptedNote(after.known))
  if (held.has(is)) {
    if (held.has(was)) return []
    return change(aboutTheTarget.has(before.verdict) ? 'fixed' : 'newly verified')
  }
  if (is === 'advice') return change('new advice', findingNote(after.findings[0]))
  if (held.has(was)) return change(notOffered.has(is) ? 'lost coverage' : 'newly unverified', after.reason)
  return aboutTheTarget.has(before.verdict) ? change('no longer verified', after.reason) : []
}

/** Changes of a rule that both runs judged: parts that are no longer judged, and other readings. */
function coverageChange(before: RuleResult, after: RuleResult, change: MakeChange): Change[] {
  if (!aboutTheTarget.has(before.verdict) || !aboutTheTarget.has(after.verdict)) return []
  const missing = new Set(before.unjudged.map(({ need }) => need))
  const lost = after.unjudged.find(({ need }) => !missing.has(need))
  const readings = Object.entries(after.readings).filter(([name, value]) => (before.readings[name] ?? value) !== value)
  const seen = readings.map(([name, value]) => `${name}: ${before.readings[name]} → ${value}`).join('; ')
  return [
    ...(lost === undefined ? [] : change('lost coverage', `a part: ${lost.reason}`)),
    ...(seen === '' ? [] : change('changed reading', seen)),
  ]
}

/** Changes of the time that a rule took on the target's clock, the largest factor first. */
function timeChanges(pairs: readonly Pair[], isScenario: (rule: string) => boolean): Change[] {
  const timed = pairs.flatMap((pair) => {
    const { before, after } = pair
    if (before === undefined || after === undefined || stateOf(after) === 'failed' || !isScenario(after.id)) return []
    if (!aboutTheTarget.has(before.verdict) || !aboutTheTarget.has(after.verdict)) return []
    const [wasMs, isMs] = [lengthOfRule(before), lengthOfRule(after)]
    if (wasMs === null || isMs === null || Math.abs(isMs - wasMs) < listedMs) return []
    const factor = Math.max(wasMs, isMs) / Math.max(1, Math.min(wasMs, isMs))
    if (factor < listedFactor) return []
    return [{ factor, change: changeOf(pair, 'changed time', `${lengthOf(wasMs)} → ${lengthOf(isMs)}`) }]
  })
  return timed.sort((a, b) => b.factor - a.factor).map(({ change }) => change)
}

function stateOf(rule: RuleResult | undefined): State {
  if (rule === undefined) return 'not judged'
  return rule.verdict === 'failed' && rule.known !== null ? 'accepted' : rule.verdict
}

function findingNote(finding: RuleResult['findings'][number] | undefined): string | null {
  if (finding === undefined) return null
  return `clause ${findingText(finding)}`
}

function acceptedNote({ reason, expires }: NonNullable<RuleResult['known']>): string {
  return `until ${expires} (${reason})`
}

function summaryOf({ name, results: { run, verdict } }: NamedResults): ComparedRun {
  const { id, plumbline, target, startedMs, endedMs, passedMs, seed, profiles } = run
  return { name, id, plumbline, target, startedMs, lengthMs: passedMs ?? endedMs - startedMs, seed, profiles, verdict }
}

function caveatsOf(
  older: NamedResults,
  newer: NamedResults,
  pairs: readonly Pair[],
  changes: readonly Change[],
): string[] {
  const [was, is] = [older.results.run, newer.results.run]
  const counted = new Set(changes.flatMap(({ kind, rule }) => (kind === 'added' || kind === 'retired' ? rule : [])))
  const onlyOld = pairs.filter(({ before, after }) => after === undefined && !counted.has(before?.id ?? ''))
  const onlyNew = pairs.filter(({ before, after }) => before === undefined && !counted.has(after?.id ?? ''))
  const unselected = (rules: readonly Pair[], run: NamedResults, by: NamedResults) =>
    rules.length === 0 ? [] : [`${pluralize(rules.length, 'rule')} of ${run.name} not selected in ${by.name}`]
  const cut = [older, newer].filter(({ results }) => !isFinished(results.verdict))
  const ended = newer.results.rules.filter(({ reason }) => isFailFast(reason))
  return [
    ...differencesOf(was, is).map((difference) => `they were made with different ${difference}`),
    ...(was.profiles.join() === is.profiles.join()
      ? []
      : [`they judged different profiles (${was.profiles.join(',')}; ${is.profiles.join(',')})`]),
    ...unselected(onlyOld, older, newer),
    ...unselected(onlyNew, newer, older),
    ...(was.clock === is.clock ? [] : [`their clocks differ (${was.clock}, ${is.clock}), so times are not compared`]),
    ...(ended.length === 0
      ? []
      : [`the run in ${newer.name} ended at a failure (--fail-fast); ${pluralize(ended.length, 'rule')} not compared`]),
    ...cut.map(({ name, results }) => `the run in ${name} did not end as planned: ${results.verdict.line}`),
  ]
}

function lengthOfRule({ startedMs, endedMs }: RuleResult): number | null {
  return startedMs === null || endedMs === null ? null : endedMs - startedMs
}
