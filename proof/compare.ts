import { isDeepStrictEqual } from 'node:util'
import { absenceOf } from '../harness/claims/claims.ts'
import { pluralize } from '../harness/common/pluralize.ts'
import { findingText, isNotJudged } from '../harness/rule/outcome.ts'
import type { Judgement } from '../harness/run/judge.ts'
import { findRow } from '../harness/run/rows.ts'
import type { Target } from '../target/types.ts'
import { createInstance } from './instance.ts'
import type { Catalog } from './jobs.ts'
import type { Defect, Latitude } from './types.ts'

/** A verdict or a reading that is not what it should be. */
export interface Mismatch {
  readonly rule: string
  /** A verdict, or `reading NAME=VALUE`. */
  readonly expected: string
  readonly seen: string
  readonly reason: string | null
}

/** The result of one defect. */
export interface DefectResult {
  readonly id: string
  readonly rule: string
  readonly clause: string
  readonly killed: boolean
  /** The observation that the defect names. */
  readonly expected: string
  /** The observation that was made in its clause, or else whatever came of the rule. */
  readonly observed: string
  /** The first seed that draws the values that show it; null if none of the first ones does. Missing if it needs none. */
  readonly seed?: number | null
}

const good: ReadonlySet<string> = new Set(['passed', 'observed'])
const bad: ReadonlySet<string> = new Set(['failed', 'advice'])

/** The result of a defect; `killed` if its rule failed in the named clause with the named observation. */
export function compareDefect(defect: Defect, judgement: Judgement | undefined): DefectResult {
  const { id, rule, clause, observed: expected } = defect
  const findings = judgement !== undefined && bad.has(judgement.verdict) ? judgement.findings : []
  const inClause = findings.filter((finding) => finding.clause === clause)
  const killed = inClause.some(({ observed }) => observed === expected)
  const observed = killed
    ? expected
    : (inClause[0]?.observed ??
      (findings[0] === undefined ? outcomeText(judgement) : `${findings[0].clause}: ${findings[0].observed}`))
  return { id, rule, clause, killed, expected, observed }
}

/** True if a rule failed on its defect in the clause that the defect names, whatever it observed. */
export function failsIn({ clause }: Defect, { verdict, findings }: Judgement): boolean {
  return bad.has(verdict) && findings.some((finding) => finding.clause === clause)
}

/** Rules that did not pass on the reference itself. */
export function compareReference(reference: readonly Judgement[]): Mismatch[] {
  return reference
    .filter(({ verdict, exchanges }) => !good.has(verdict) || exchanges === 0)
    .map((judgement) => ({
      rule: judgement.rule,
      expected: findRow(judgement.rule)?.basis === 'open' ? 'observed' : 'passed',
      seen: judgement.verdict,
      reason: why(judgement),
    }))
}

/** The expectations of an instance on which nothing may change. */
export const unchanged: Latitude = { id: 'reference', says: 'Nothing is changed.' }

/**
 * Verdicts and readings on a latitude that are neither the reference's nor the ones it names; and what a rule that
 * passes leaves out without what is absent, although its row does not list that under `parts`.
 */
export function compareLatitude(
  latitude: Latitude,
  seen: readonly Judgement[],
  reference: readonly Judgement[],
  { rules }: Pick<Catalog, 'rules'>,
): Mismatch[] {
  const { verdicts = {}, readings = {}, onlyLacks = false } = latitude
  const absent = onlyLacks ? createInstance([latitude]).target.absent : {}
  const invariants = new Set<string>(rules.flatMap(({ id, kind }) => (kind === 'invariant' ? id : [])))
  const usual = new Map(reference.map((judgement) => [judgement.rule, judgement]))
  return seen.flatMap((judgement) => {
    const rule = judgement.rule as keyof typeof verdicts
    const before = usual.get(rule)
    const expected = verdicts[rule] ?? before?.verdict ?? 'passed'
    if (judgement.verdict !== expected) return [{ rule, expected, seen: judgement.verdict, reason: why(judgement) }]
    const usualReadings = expected === 'not-applicable' ? {} : before?.readings
    const dropped = before !== undefined && good.has(expected) ? leftOut(judgement, before, absent, invariants) : []
    return [
      ...dropped.map((what) => ({ rule, expected: what, seen: `${expected} without it`, reason: null })),
      ...compareReadings(rule, { ...usualReadings, ...readings[rule] }, judgement.readings),
    ]
  })
}

/** Clauses that were not reached, and exchanges that were not made, that no part in the row of the rule accounts for. */
function leftOut(
  { rule, clauses, exchanges, variation }: Judgement,
  before: Judgement,
  absent: Target['absent'],
  invariants: ReadonlySet<string>,
): string[] {
  const parts: readonly string[] = findRow(rule)?.parts ?? []
  if (Object.keys(absent).length === 0 || parts.some((part) => absenceOf(absent, part) !== undefined)) return []
  // What it lacks may be drawn by the rule: then the rule sends other requests, and not fewer of the same.
  const isSame = isDeepStrictEqual(variation, before.variation)
  const fewer = !invariants.has(rule) && isSame ? before.exchanges - exchanges : 0
  return [
    ...without(before.clauses, clauses).map((clause) => `clause ${clause}`),
    ...(fewer > 0 ? [`${pluralize(fewer, 'more exchange')}, or the need under parts`] : []),
  ]
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
  // Whether there is a chance to judge a branch depends on other rules, too.
  const isByChance = (value: string | null | undefined) => value != null && isNotJudged(value)
  return names
    .filter((name) => (expected[name] ?? null) !== (seen[name] ?? null))
    .filter((name) => !isByChance(expected[name]) && !isByChance(seen[name]))
    .map((name) => ({
      rule,
      expected: `reading ${name}=${expected[name] ?? '(none)'}`,
      seen: `reading ${name}=${seen[name] ?? '(none)'}`,
      reason: null,
    }))
}

function why({ reason, findings, exchanges }: Judgement): string | null {
  const [first] = findings
  if (first !== undefined) return findingText(first)
  return reason ?? (exchanges === 0 ? 'no exchange exercised this rule' : null)
}

function outcomeText(judgement: Judgement | undefined): string {
  if (judgement === undefined) return 'the rule has no function'
  const { verdict, reason } = judgement
  return reason === null ? verdict : `${verdict}: ${reason}`
}
