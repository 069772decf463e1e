import { rules as ledger, type RuleRow } from '../generated/rules.ts'
import { missingNeed } from '../harness/claims/claims.ts'
import type { NotApplicable, Unclaimed } from '../harness/rule/outcome.ts'
import type { Target } from '../target/types.ts'

/** The caps of load decide whether a quota can be reached. */
const settledHere = new Set(['quota.reachable'])

/** Rules of a load that are not judged, each with what is missing. */
export type LeftOut = ReadonlyMap<string, Unclaimed | NotApplicable>

/** The rules among `ids` whose needs the target does not give, each with what is missing. */
export function leftOutOf(ids: readonly string[], target: Target): LeftOut {
  const leftOut = new Map<string, Unclaimed | NotApplicable>()
  for (const row of rowsOf(ids)) {
    const needs = row.needs.filter((need) => !(settledHere.has(need) && target.absent[need] === undefined))
    const missing = missingNeed(target, { ...row, needs })
    if (missing !== null) leftOut.set(row.id, missing)
  }
  return leftOut
}

/** The rows of the ledger with these ids, in its order. */
export function rowsOf(ids: readonly string[]): readonly RuleRow[] {
  return ledger.filter(({ id }) => ids.includes(id))
}
