import type { RuleRow } from '../../../generated/rules.ts'
import { estimate } from '../plan/estimate.ts'
import { waitMsOf } from '../plan/resources.ts'
import { randomFrom } from '../random.ts'
import type { Scenario } from '../registry.ts'
import type { Target } from '../target/types.ts'

/** The longest first, so that they overlap; else shuffled by the seed; those that must be alone last. */
export function inOrder(
  rules: readonly Scenario[],
  seed: number,
  rowOf: (id: string) => RuleRow,
  target: Target,
): Scenario[] {
  const random = randomFrom(seed, 'order')
  // Where time need not be waited out, the waits of the ledger order the rules all the same.
  const lengthOf = (rule: Scenario) => {
    const row = rowOf(rule.id)
    return target.clock === 'real' ? estimate(rule, row, target).ms : waitMsOf(row)
  }
  return [...rules]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((rule) => ({ rule, alone: rule.alone ? 1 : 0, ms: lengthOf(rule), place: random() }))
    .sort((a, b) => a.alone - b.alone || b.ms - a.ms || a.place - b.place)
    .map(({ rule }) => rule)
}
