import { rules as ledger, type RuleRow } from '../../generated/rules.ts'
import { Unclaimed } from '../../harness/rule/outcome.ts'
import { podLoadRules, queueLoadRules } from '../../load/analyse/rules.ts'
import type { LoadResultsOptions } from '../../load/results.ts'
import { missingNeed } from '../../target/claims.ts'
import type { Target } from '../../target/types.ts'
import { readProfiles, selectRules } from '../select.ts'

export type LoadKind = 'smoke' | 'limits' | 'pods'

export interface LoadSelection {
  readonly profiles: readonly string[]
  /** Ids of the rules in the results, sorted. */
  readonly selected: readonly string[]
  /** Those of them that the target claims. */
  readonly claimed: ReadonlySet<string>
  readonly leftOut: LoadResultsOptions['leftOut']
}

const idsOf: Readonly<Record<LoadKind, readonly string[]>> = {
  smoke: queueLoadRules,
  limits: queueLoadRules,
  pods: [...podLoadRules, 'limits.pods.headers-on-success'],
}

/** The caps of load decide whether a quota can be reached. */
const settledHere = new Set(['quota.reachable'])

/** The rules of a kind of load. Throws UsageError if a pattern matches none of them. */
export function selectLoad(
  kind: LoadKind,
  target: Target,
  { only, profile }: { readonly only: readonly string[]; readonly profile?: string },
): LoadSelection {
  const ids = new Set(idsOf[kind])
  const rows: readonly RuleRow[] = ledger.filter(({ id }) => ids.has(id))
  const profiles = profile === undefined ? profilesFor(rows, only) : readProfiles(profile, rows)
  const selected = selectRules(rows, { only, profiles })
  const leftOut = leftOutOf(selected, target)
  const claimed = new Set(selected.filter((id) => !leftOut.has(id)))
  // One row of load has another profile, and is judged by `check`.
  return { profiles: profiles.filter((name) => name !== 'core'), selected, claimed, leftOut }
}

/** The rules whose needs the target does not offer; for a record, by the target in it. */
export function leftOutOf(selected: readonly string[], target: Target): LoadSelection['leftOut'] {
  const leftOut = new Map<string, { verdict: 'unclaimed' | 'not-applicable'; reason: string }>()
  for (const row of ledger.filter(({ id }) => selected.includes(id))) {
    const left = leftOutBy(row, target)
    if (left !== null) leftOut.set(row.id, left)
  }
  return leftOut
}

/** Profiles that can be decided on any target; a rule named by its id is judged whatever its profile. */
function profilesFor(rows: readonly RuleRow[], only: readonly string[]): string[] {
  const named = rows.filter(({ id }) => only.includes(id)).map(({ profile }) => profile)
  return [...new Set(named.length > 0 ? named : rows.map(({ profile }) => profile).filter((name) => name !== 'lab'))]
}

function leftOutBy(row: RuleRow, target: Target): { verdict: 'unclaimed' | 'not-applicable'; reason: string } | null {
  const needs = row.needs.filter((need) => !(settledHere.has(need) && target.absent[need] === undefined))
  const error = missingNeed(target, { ...row, needs })
  if (error === null) return null
  return { verdict: error instanceof Unclaimed ? 'unclaimed' : 'not-applicable', reason: error.message }
}
