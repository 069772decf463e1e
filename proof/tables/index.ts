import '../../suites/all.ts'
import { ruleById } from '../../generated/rules.ts'
import { headerTables } from '../../suites/shared/header-table.ts'
import { shapeTables } from '../../suites/shared/shape-table.ts'
import { acceptTables, refusalTables } from '../../suites/shared/table.ts'
import type { Defect } from '../types.ts'
import { acceptDefects } from './accepts.ts'
import { refusalDefects } from './refusals.ts'
import { headerDefects, shapeDefects } from './shapes.ts'

const isOfProject = (rule: string) => (ruleById as ReadonlyMap<string, unknown>).has(rule)

/** The defects that are derived from the tables of the project's rules. */
export const derivedDefects: readonly Defect[] = deriveDefects(isOfProject)

/** The defects that are derived from the tables of these rules. */
export function deriveDefects(isOf: (rule: string) => boolean): Defect[] {
  const chosen = ({ id }: { readonly id: string }) => isOf(id)
  return [
    ...acceptTables.filter(chosen).flatMap(acceptDefects),
    ...refusalTables.filter(chosen).flatMap(refusalDefects),
    ...shapeTables.filter(chosen).flatMap(shapeDefects),
    ...headerTables.filter(chosen).flatMap(headerDefects),
  ]
}
