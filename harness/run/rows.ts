import { type RuleRow, rules } from '../../generated/rules.ts'

const rows = new Map<string, RuleRow>(rules.map((row) => [row.id, row]))

/** Adds rows of a vendor to the ledger of this process. Throws if a row has the id of another. */
export function addRows(added: readonly RuleRow[]): void {
  for (const row of added) {
    if (rows.has(row.id)) throw new Error(`rule ${row.id} has two rows; ids are unique`)
    rows.set(row.id, row)
  }
}

/** Every row: those of the project, then those that were added. */
export function allRows(): readonly RuleRow[] {
  return [...rows.values()]
}

/** The row of a rule; undefined if there is none. */
export function findRow(id: string): RuleRow | undefined {
  return rows.get(id)
}

/** The row of a rule. Throws if the ledger has none, which the gates prevent. */
export function rowOf(id: string): RuleRow {
  const row = findRow(id)
  if (row === undefined) throw new Error(`rule ${id} is not in the ledger`)
  return row
}
