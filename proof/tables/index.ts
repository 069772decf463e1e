import '../../suites/all.ts'
import { headerTables } from '../../suites/shared/header-table.ts'
import { shapeTables } from '../../suites/shared/shape-table.ts'
import { acceptTables, refusalTables } from '../../suites/shared/table.ts'
import type { Defect } from '../types.ts'
import { acceptDefects } from './accepts.ts'
import { refusalDefects } from './refusals.ts'
import { headerDefects, shapeDefects } from './shapes.ts'

/** The defects that are derived from the tables of the rules. */
export const derivedDefects: readonly Defect[] = [
  ...acceptTables.flatMap(acceptDefects),
  ...refusalTables.flatMap(refusalDefects),
  ...shapeTables.flatMap(shapeDefects),
  ...headerTables.flatMap(headerDefects),
]
