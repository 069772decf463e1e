import { rules as ledger, type RuleRow } from '../../generated/rules.ts'

const rows: ReadonlyMap<string, RuleRow> = new Map(ledger.map((row) => [row.id, row as RuleRow]))

/** The row of a rule. Throws where the ledger has none: the gates keep that from shipping. */
export function rowOf(id: string): RuleRow {
  const row = rows.get(id)
  if (row === undefined) throw new Error(`rule ${id} is not in the ledger`)
  return row
}
