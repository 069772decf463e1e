import { membersOf } from '../harness/exchange/read.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import type { KnownFailure } from '../target/types.ts'
import type { Verdict } from '../verdicts/verdicts.ts'
import type { KnownResult, KnownState } from './types.ts'

/** The outcome of one rule, for an entry of `known:`. */
export interface Shown {
  readonly verdict: Verdict
  /** Clauses that were reached. */
  readonly clauses: readonly string[]
  /** Violated clauses. */
  readonly violated: ReadonlySet<Finding['clause']>
}

interface KnownFacts {
  readonly entries: readonly KnownFailure[]
  /** Day of the run, as YYYY-MM-DD. */
  readonly day: string
  /** True if the ledger has a rule with this id. */
  readonly exists: (rule: string) => boolean
  /** The outcome of a rule; undefined if it was not selected. */
  readonly shown: (rule: string) => Shown | undefined
}

/** The day of a moment, ms, as YYYY-MM-DD. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** The state of each entry of `known:`, in the order of the target file. */
export function judgeKnown({ entries, day, exists, shown }: KnownFacts): KnownResult[] {
  return entries.map(({ rule, clause, reason, expires }) => {
    const state = exists(rule) ? stateOf(clause, shown(rule)) : 'stale'
    return { rule, clause, reason, expires, state: state === 'accepted' && expires < day ? 'expired' : state }
  })
}

/** The entry that accepts the failure of a rule: every violated clause must have one. Null if one has none. */
export function acceptedBy(
  known: readonly KnownResult[],
  rule: string,
  violated: ReadonlySet<string>,
): KnownResult | null {
  const entries = known.filter((entry) => entry.rule === rule && entry.state === 'accepted')
  const covers = (clause: string) => entries.some((entry) => entry.clause === null || entry.clause === clause)
  return entries.length > 0 && violated.size > 0 && [...violated].every(covers) ? (entries[0] ?? null) : null
}

/** The entries of `known:` in a recorded target; anything malformed was refused before the run began. */
export function knownOf(target: unknown): KnownFailure[] {
  const list = membersOf(target)?.known
  if (!Array.isArray(list)) return []
  return list.flatMap((entry) => {
    const { rule, clause, reason, expires } = membersOf(entry) ?? {}
    if (typeof rule !== 'string' || typeof reason !== 'string' || typeof expires !== 'string') return []
    return [{ rule, clause: typeof clause === 'string' ? clause : null, reason, expires }]
  })
}

/** A scenario stops at its first violated clause, so a clause that a failed rule did not reach may still exist. */
function stateOf(clause: string | null, shown: Shown | undefined): KnownState {
  if (shown === undefined) return 'not judged'
  const { verdict, clauses, violated } = shown
  if (verdict === 'passed' || verdict === 'observed') {
    return clause === null || clauses.includes(clause) ? 'no longer fails' : 'stale'
  }
  if (verdict !== 'failed' && verdict !== 'advice') return 'not judged'
  if (clause === null || violated.has(clause)) return 'accepted'
  return clauses.includes(clause) ? 'no longer fails' : 'not judged'
}
