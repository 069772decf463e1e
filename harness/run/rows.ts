import { type RuleRow, ruleById } from '../../generated/rules.ts'

/** The row of a rule. Throws if the ledger has none, which the gates prevent. */
export function rowOf(id: string): RuleRow {
  const row = (ruleById as ReadonlyMap<string, RuleRow>).get(id)
  if (row === undefined) throw new Error(`rule ${id} is not in the ledger`)
  return row
}
