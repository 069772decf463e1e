import { isNotJudged } from '../harness/rule/outcome.ts'
import type { Judgement } from '../harness/run/judge.ts'
import { findRow } from '../harness/run/rows.ts'
import type { DefectResult } from './compare.ts'

export interface RuleClause {
  readonly rule: string
  readonly clause: string
}

/** An open row for which no two instances recorded different values; `reading` is null if it recorded none at all. */
export interface Unproven {
  readonly rule: string
  readonly reading: string | null
}

/** Clauses that were reached somewhere and in which no defect was found, sorted. */
export function unkilledClauses(runs: Iterable<readonly Judgement[]>, defects: readonly DefectResult[]): RuleClause[] {
  const killed = new Set(defects.filter((defect) => defect.killed).map(keyOf))
  return [...reachedIn(runs).values()]
    .filter((entry) => !killed.has(keyOf(entry)))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** Defects that name a clause which their rule reached nowhere. */
export function unknownClauses(runs: Iterable<readonly Judgement[]>, defects: readonly DefectResult[]): DefectResult[] {
  const reached = reachedIn(runs)
  return defects.filter((defect) => !defect.killed && !reached.has(keyOf(defect)))
}

/** Readings that came out the same everywhere, and open rows that record nothing. A rule that judged all has no reading about it. */
export function unprovenReadings(runs: Iterable<readonly Judgement[]>): Unproven[] {
  const values = new Map<string, Map<string, Set<string>>>()
  const complete = new Set<string>()
  for (const run of runs) {
    for (const { rule, readings, verdict } of run) {
      const isWhole = !Object.values(readings).some(isNotJudged)
      if (isWhole && (verdict === 'passed' || verdict === 'observed')) complete.add(rule)
      const names = values.get(rule) ?? new Map<string, Set<string>>()
      values.set(rule, names)
      for (const [name, value] of Object.entries(readings)) names.set(name, (names.get(name) ?? new Set()).add(value))
    }
  }
  return [...values]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([rule, names]): Unproven[] => {
      if (names.size === 0) return findRow(rule)?.basis === 'open' ? [{ rule, reading: null }] : []
      return [...names].filter(([, seen]) => !differs(rule, [...seen])).map(([reading]) => ({ rule, reading }))
    })

  function differs(rule: string, seen: readonly string[]): boolean {
    return seen.length > 1 || (complete.has(rule) && seen.some(isNotJudged))
  }
}

/** Every clause that was reached in one of the runs. */
function reachedIn(runs: Iterable<readonly Judgement[]>): ReadonlyMap<string, RuleClause> {
  const all = [...runs].flat().flatMap(({ rule, clauses }) => clauses.map((clause) => ({ rule, clause })))
  return new Map(all.map((one) => [keyOf(one), one]))
}

function keyOf({ rule, clause }: RuleClause): string {
  return `${rule} ${clause}`
}
