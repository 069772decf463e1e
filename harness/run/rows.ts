import { rules as ledger, type RuleRow } from '../../generated/rules.ts'

const rows: ReadonlyMap<string, RuleRow> = new Map(ledger.map((row) => [row.id, row as RuleRow]))

/** The row of a rule. Throws if the ledger has none, which the gates prevent. */
export function rowOf(id: string): RuleRow {
  const row = rows.get(id)
  if (row === undefined) throw new Error(`rule ${id} is not in the ledger`)
  return row
}
