import { codePointEscape, unseen } from '../harness/common/escape.ts'
import { lengthOf } from '../harness/common/length.ts'
import { findingText } from '../harness/rule/outcome.ts'
import { notStarted } from '../results/rule-result.ts'
import type { KnownResult, Results, RuleResult } from '../results/types.ts'
import { exitCodes } from '../verdicts/exit-codes.ts'
import { type Verdict, verdictOrder } from '../verdicts/verdicts.ts'

const notVerified: readonly Verdict[] = ['inconclusive', 'blocked', 'unverified', 'unclaimed', 'not-applicable']

/** The rules of a run in groups for the reader, each in the order of the ledger. */
export function sortRules({ rules }: Pick<Results, 'rules'>) {
  const fails = (rule: RuleResult) => rule.verdict === 'failed' && acceptedText(rule) === null
  return {
    /** Must rules that failed and are not accepted, and broken rules. */
    failures: [...rules.filter(fails), ...rules.filter(({ verdict }) => verdict === 'broken')],
    /** Should rules that failed, and failures that are accepted. */
    lesser: rules.filter((rule) => rule.verdict === 'advice' || (rule.verdict === 'failed' && !fails(rule))),
    notVerified: notVerified.flatMap((verdict) => rules.filter((rule) => rule.verdict === verdict)),
    /** Rules that recorded a reading, whatever their verdict, and all that are `observed`. */
    readings: rules.filter(({ verdict, readings }) => verdict === 'observed' || Object.keys(readings).length > 0),
  }
}

/** `38 passed, 2 failed`: the number of rules with each verdict. */
export function tallyOf(rules: readonly Pick<RuleResult, 'verdict'>[]): string {
  const counts = Map.groupBy(rules, ({ verdict }) => verdict)
  return verdictOrder.flatMap((word) => (counts.has(word) ? [`${counts.get(word)?.length} ${word}`] : [])).join(', ')
}

/** Why a rule has no verdict about the target, and what blocked it. */
export function reasonOf({ verdict, reason, by }: RuleResult): string {
  const why = reason ?? 'no reason was recorded'
  if (verdict !== 'blocked' || by === null) return why
  return isFixture(by) ? `blocked, because it needs ${by}: ${why}` : `blocked by ${by}: ${why}`
}

/** True for the name of a fixture, which is in words: `a RUNNING GPU pod`. Ids of rules have no space. */
function isFixture(name: string): boolean {
  return name.includes(' ')
}

/** Heads the reason of a broken rule: the target is never the cause. */
export const brokenBy = 'a fault of plumbline or of the record'

/** The parts of a rule that the target file neither claims nor declares absent. */
export function unclaimedParts({ unjudged }: RuleResult): RuleResult['unjudged'] {
  return unjudged.filter(({ verdict }) => verdict === 'unclaimed')
}

/** The text to search for in the log of the target: every request of a rule carries it in its User-Agent. */
export function logMark(run: string, rule: string): string {
  return `run ${run}; rule ${rule}`
}

/** The length of a run, and the time that passed on a clock that is not the harness's. */
export function took({ startedMs, endedMs, passedMs, clock }: Results['run']): string {
  const real = `${((endedMs - startedMs) / 1_000).toFixed(1)} s`
  return clock === 'real' || passedMs === null
    ? `${real}, ${clock} clock`
    : `${real}, ${lengthOf(passedMs)} on the ${clock} clock`
}

/** Text with control and direction characters made visible, so that a response cannot control a terminal. */
export function visible(text: string): string {
  return text.replace(unseen, codePointEscape)
}

/** How a verdict is shown: `good` without reserve, `part` if something is accepted or was not verified, `bad` otherwise. */
export function gradeOf({ word, exit }: Results['verdict']): 'good' | 'part' | 'bad' {
  if (word === 'conformant' && exit === exitCodes.conformant) return 'good'
  return exit === exitCodes.conformant || exit === exitCodes.incomplete ? 'part' : 'bad'
}

/** A failure in one line: the first broken clause. */
export function headlineOf({ findings: [first] }: RuleResult): string {
  return first === undefined ? 'no finding was recorded' : findingText(first)
}

/** Why a rule did not pass, or why its failure is accepted; null if it passed. */
export function messageOf(rule: RuleResult): string | null {
  const { verdict } = rule
  if (verdict === 'passed' || verdict === 'observed') return null
  if (verdict === 'failed' || verdict === 'advice') return acceptedText(rule) ?? headlineOf(rule)
  return verdict === 'broken' || verdict === 'blocked' ? reasonOf(rule) : `${verdict}: ${reasonOf(rule)}`
}

/** All about a failure, in lines, for reports of plain text in another format. */
export function detailsOf({ id, says, source, findings, curl, rerun }: RuleResult, run: Results['run']): string {
  const lines = [
    says,
    `heading "${source}" of the API description`,
    ...findings.flatMap(({ clause, expected, observed, exchange }) => [
      `clause ${clause}${exchange === null ? '' : `, exchange ${exchange}`}`,
      `  expected: ${expected}`,
      `  observed: ${observed}`,
    ]),
    ...(curl.length === 0 ? [] : ['', ...curl, '']),
    ...(rerun === '' ? [] : [`rerun this rule: ${rerun}`]),
    ...(run.traffic ? [] : [`in the target's log: ${logMark(run.id, id)}`]),
  ]
  return lines.join('\n')
}

/** The outcome of a rule for tools that know four: a rule without a verdict about the target is `skipped`. */
export function outcomeOf(rule: RuleResult): 'failed' | 'broken' | 'skipped' | 'passed' {
  const { verdict } = rule
  if (verdict === 'failed') return acceptedText(rule) === null ? 'failed' : 'skipped'
  if (verdict === 'broken') return 'broken'
  return verdict === 'passed' || verdict === 'observed' || verdict === 'advice' ? 'passed' : 'skipped'
}

/** Why the failure of a rule is accepted; null if it is not. */
export function acceptedText({ known, baseline }: RuleResult): string | null {
  if (known !== null) return `accepted until ${known.expires} (${known.reason})`
  return baseline === undefined ? null : `fails in the baseline ${baseline}, too`
}

/** Milliseconds as seconds with three digits. */
export function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3)
}

/** Rules with a reason of their own: the verdict of a run that could not start says why none was verified. */
export function withOwnReason(rules: readonly RuleResult[]): RuleResult[] {
  return rules.filter(({ reason }) => reason?.startsWith(notStarted) !== true)
}

/** Rules that were claimed and not verified: they make a run incomplete. */
export function unverifiedOf(results: Results): RuleResult[] {
  return sortRules(results).notVerified.filter(({ verdict }) => verdict !== 'unclaimed' && verdict !== 'not-applicable')
}

/** Why an entry of `known:` needs attention; null if it accepts its failure. */
export function knownSentence({ state, expires }: KnownResult): string | null {
  return {
    'no longer fails': 'no longer fails: remove it from known',
    expired: `expired on ${expires}: fix the failure or set a later date`,
    stale: 'was not reached (the rule passed without it, or is not in this ledger): remove it from known',
    accepted: null,
    'not judged': null,
  }[state]
}

/** A text as a code span of Markdown: in it nothing is markup, and it ends only at as many backticks as it began with. */
export function codeSpan(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1)
  return fence.length === 1 && text.trim() !== '' ? `\`${text}\`` : `${fence} ${text} ${fence}`
}

/** The most backticks in a row. */
export function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
}
