import { pluralize } from '../harness/common/pluralize.ts'
import type { Defect, Latitude, Variant } from '../proof/types.ts'
import { suggestion } from '../target/nearest.ts'
import { UsageError } from './errors.ts'

/** The variants of these names, in the given order. Throws UsageError for an unknown name. */
export function findVariants<V extends Variant>(flag: string, names: readonly string[], all: readonly V[]): V[] {
  return names.map((name) => {
    const found = all.find(({ id }) => id === name)
    if (found !== undefined) return found
    const ids = all.map(({ id }) => id)
    throw new UsageError(
      `${flag}: unknown name ${name}${suggestion(name, ids, 'npx plumbline serve --list lists all')}`,
    )
  })
}

/** A defect in a listing; one that a load finds has no clause. */
type ListedDefect = Pick<Defect, 'id' | 'says' | 'rule'> & Partial<Pick<Defect, 'clause'>>
type ListedLatitude = Pick<Latitude, 'id' | 'says' | 'planes'>

/** Every defect and latitude on one line: its id, its sentence, and for a defect the rule that finds it. */
export function variantLines(defects: readonly ListedDefect[], latitudes: readonly ListedLatitude[]): string[] {
  return [
    `${pluralize(defects.length, 'defect')}, for --defect:`,
    ...defects.map(({ id, says, rule }) => `  ${id}: ${says} (${rule})`),
    `${pluralize(latitudes.length, 'latitude')}, for --latitude:`,
    ...latitudes.map(({ id, says }) => `  ${id}: ${says}`),
  ]
}

/** The same as data. */
export function variantData(defects: readonly ListedDefect[], latitudes: readonly ListedLatitude[]) {
  return {
    defects: defects.map(({ id, says, rule, clause = null }) => ({ id, says, rule, clause })),
    latitudes: latitudes.map(({ id, says, planes = null }) => ({ id, says, planes })),
  }
}
