import { rules } from '../../generated/rules.ts'
import { matcherOf } from '../../harness/common/pattern.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import type { Defect, Latitude, Variant } from '../../proof/types.ts'
import { suggestion } from '../../target-file/nearest.ts'
import { UsageError } from '../shared/errors.ts'

/** The variants of these names, in the given order. Throws UsageError for an unknown name. */
export function findVariants<V extends Variant>(flag: string, names: readonly string[], all: readonly V[]): V[] {
  return names.map((name) => {
    const found = all.find(({ id }) => id === name)
    if (found !== undefined) return found
    const ids = all.map(({ id }) => id)
    throw new UsageError(`${flag}: unknown name ${name}${suggestion(name, ids, 'plumbline serve --list lists all')}`)
  })
}

/** A defect in a listing; one that a load finds has no clause, and one that a soak finds no rule. */
type ListedDefect = Pick<Defect, 'id' | 'says'> & Partial<Pick<Defect, 'clause' | 'rule'>>
type ListedLatitude = Pick<Latitude, 'id' | 'says' | 'planes'>

interface Listed {
  readonly defects: readonly ListedDefect[]
  readonly latitudes: readonly ListedLatitude[]
}

/**
 * The defects and latitudes that a pattern of `--only` matches, and the defects of the rules that one matches; all without
 * patterns. Throws UsageError if a pattern matches nothing.
 */
export function selectVariants(
  only: readonly string[],
  defects: readonly ListedDefect[],
  latitudes: readonly ListedLatitude[],
): Listed {
  if (only.length === 0) return { defects, latitudes }
  const known = [...defects, ...latitudes, ...rules].map(({ id }) => id)
  const vain = only.find((pattern) => !known.some(matcherOf(pattern)))
  if (vain !== undefined) {
    const near = suggestion(
      vain,
      [...new Set([...known, ...rules.map(({ area }) => area)])],
      'plumbline rules lists rules, plumbline serve --list the others',
    )
    throw new UsageError(`--only: no rule, defect or latitude matches ${vain}${near}`)
  }
  const matches = (id: string) => only.some((pattern) => matcherOf(pattern)(id))
  return {
    defects: defects.filter(({ id, rule }) => matches(id) || (rule !== undefined && matches(rule))),
    latitudes: latitudes.filter(({ id }) => matches(id)),
  }
}

/** Every defect and latitude on one line: its id, its sentence, and for a defect the rule that finds it. */
export function variantLines({ defects, latitudes }: Listed): string[] {
  return [
    `${pluralize(defects.length, 'defect')}, for --defect:`,
    ...defects.map(({ id, says, rule = 'load soak' }) => `  ${id}: ${says} (${rule})`),
    `${pluralize(latitudes.length, 'latitude')}, for --latitude:`,
    ...latitudes.map(({ id, says }) => `  ${id}: ${says}`),
  ]
}

/** The same as data. */
export function variantData({ defects, latitudes }: Listed) {
  return {
    defects: defects.map(({ id, says, rule = null, clause = null }) => ({ id, says, rule, clause })),
    latitudes: latitudes.map(({ id, says, planes = null }) => ({ id, says, planes })),
  }
}
