import type { RuleId } from '../../generated/rules.ts'
import { missingNeed } from '../../target/claims.ts'
import type { Target } from '../../target/types.ts'
import type { LeftOut } from '../record/events.ts'
import { rowOf } from '../run/rows.ts'

/** Rules that pack projects of more than a gigabyte with a real tool. */
export const heavyRules: ReadonlySet<string> = new Set<RuleId>(['deploy.excluded-not-counted', 'deploy.too-large'])

/** The heavy rules that a run without `--heavy` leaves out. In process nothing is heavy. */
export function heavyLeftOut(target: Target | null, selected: readonly string[]): LeftOut[] {
  if (target === null) return []
  const reason = 'left out: it packs projects of up to 1.7 GB; add --heavy'
  return selected
    .filter((id) => heavyRules.has(id) && missingNeed(target, rowOf(id)) === null)
    .map((rule) => ({ rule, reason }))
}
