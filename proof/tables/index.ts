import '../../suites/all.ts'
import { acceptTables, refusalTables } from '../../suites/shared/table.ts'
import type { Defect } from '../types.ts'
import { acceptDefects } from './accepts.ts'
import { refusalDefects } from './refusals.ts'

/** The defects that are derived from the tables of the rules. */
export const derivedDefects: readonly Defect[] = [
  ...acceptTables().flatMap(acceptDefects),
  ...refusalTables().flatMap(refusalDefects),
]
