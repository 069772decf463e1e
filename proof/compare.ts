import { type RuleId, ruleById } from '../generated/rules.ts'
import type { Judgement } from '../suites/harness/run/judge.ts'
import type { Defect, Latitude } from './types.ts'

/** A verdict or a reading that is not what it should be. */
export interface Mismatch {
  readonly rule: string
  /** A verdict, or `reading NAME=VALUE`. */
  readonly expected: string
  readonly seen: string
  readonly reason: string | null
}

/** What came of one defect. */
export interface DefectResult {
  readonly id: string
  readonly rule: string
  readonly clause: string
  readonly killed: boolean
  /** The observation that the defect names. */
  readonly expected: string
  /** The observation that was made in its clause, or else whatever came of the rule. */
  readonly observed: string
}

const good: ReadonlySet<string> = new Set(['passed', 'observed'])
const bad: ReadonlySet<string> = new Set(['failed', 'advice'])

/** Whether a rule failed on its defect, in the clause and with the observation that the defect names. */
export function compareDefect(defect: Defect, judgement: Judgement | undefined): DefectResult {
  const { id, rule, clause, observed: expected } = defect
  const findings = judgement !== undefined && bad.has(judgement.verdict) ? judgement.findings : []
  const inClause = findings.filter((finding) => finding.clause === clause)
  const killed = inClause.some(({ observed }) => observed === expected)
  const observed = killed
    ? expected
    : (inClause[0]?.observed ??
      (findings[0] === undefined ? told(judgement) : `${findings[0].clause}: ${findings[0].observed}`))
  return { id, rule, clause, killed, expected, observed }
}

/** Rules that did not pass on the reference itself. */
export function compareReference(reference: readonly Judgement[]): Mismatch[] {
  return reference
    .filter(({ verdict, exchanges }) => !good.has(verdict) || exchanges === 0)
    .map((judgement) => ({
      rule: judgement.rule,
      expected: ruleById.get(judgement.rule as RuleId)?.basis === 'open' ? 'observed' : 'passed',
      seen: judgement.verdict,
      reason: why(judgement),
    }))
}

/**
 * Verdicts and readings on a latitude that are neither the reference's nor the ones it names; and clauses that a rule
 * which passes did not come to, where the latitude wants the same ones.
 */
export function compareLatitude(
  { verdicts = {}, readings = {}, sameClauses = false }: Latitude,
  seen: readonly Judgement[],
  reference: readonly Judgement[],
): Mismatch[] {
  const usual = new Map(reference.map((judgement) => [judgement.rule, judgement]))
  return seen.flatMap((judgement) => {
    const rule = judgement.rule as keyof typeof verdicts
    const before = usual.get(rule)
    const expected = verdicts[rule] ?? before?.verdict ?? 'passed'
    if (judgement.verdict !== expected) return [{ rule, expected, seen: judgement.verdict, reason: why(judgement) }]
    const usualReadings = expected === 'not-applicable' ? {} : before?.readings
    const skipped = sameClauses && good.has(expected) ? without(before?.clauses ?? [], judgement.clauses) : []
    return [
      ...skipped.map((clause) => ({
        rule,
        expected: `clause ${clause}`,
        seen: `${expected} without it`,
        reason: null,
      })),
      ...compareReadings(rule, { ...usualReadings, ...readings[rule] }, judgement.readings),
    ]
  })
}

function without(these: readonly string[], those: readonly string[]): string[] {
  return these.filter((one) => !those.includes(one))
}

function compareReadings(
  rule: string,
  expected: Readonly<Record<string, string | null>>,
  seen: Readonly<Record<string, string>>,
): Mismatch[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(seen)])].sort()
  return names
    .filter((name) => (expected[name] ?? null) !== (seen[name] ?? null))
    .map((name) => ({
      rule,
      expected: `reading ${name}=${expected[name] ?? '(none)'}`,
      seen: `reading ${name}=${seen[name] ?? '(none)'}`,
      reason: null,
    }))
}

function why({ reason, findings, exchanges }: Judgement): string | null {
  const [first] = findings
  if (first !== undefined) return `${first.clause}: expected ${first.expected}; observed ${first.observed}`
  return reason ?? (exchanges === 0 ? 'no exchange exercised this rule' : null)
}

function told(judgement: Judgement | undefined): string {
  if (judgement === undefined) return 'the rule has no function'
  const { verdict, reason } = judgement
  return reason === null ? verdict : `${verdict}: ${reason}`
}
