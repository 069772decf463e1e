import { type TargetFailure, validateTarget } from '../generated/target.ts'
import type { TargetFile } from '../generated/target-file.ts'
import { membersOf } from '../harness/exchange/read.ts'
import schema from '../spec/schemas/target.schema.json' with { type: 'json' }
import type { Path } from '../target/values.ts'
import { nearest } from './nearest.ts'

/** A repair may uncover a missing member one level up; the file is no deeper than this. */
const maxRounds = 10

/** A file that fits the schema, and the paths at which it is not what its author wrote. */
export interface Repaired {
  readonly file: TargetFile
  readonly repaired: readonly Path[]
}

/**
 * A file whose schema faults are mended, so that all else in it can be checked in the same run: a misspelt key gets its
 * name, a wrong or missing value the example of its schema, and what has none is left out. Null if that is not enough.
 */
export function repair(value: unknown): Repaired | null {
  const file = structuredClone(value)
  const repaired: Path[] = []
  for (let round = 0; round < maxRounds; round++) {
    if (validateTarget(file)) return { file: file as TargetFile, repaired }
    // Renamed keys first: a required one may be among them.
    const failures = [...(validateTarget.errors ?? [])].sort((a, b) => Number(isRequired(a)) - Number(isRequired(b)))
    for (const failure of failures) repaired.push(...mend(file, failure))
  }
  return null
}

/** The path of a failure: the keys from the root to the value. */
export function pathOf({ instancePath }: TargetFailure): string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The key that an unknown one was probably meant to be, unless the mapping has that too. */
export function meantKey({ params, parentSchema, data }: TargetFailure): string | null {
  const known = Object.keys((parentSchema as { properties?: object }).properties ?? {})
  const meant = nearest(String(params.additionalProperty), known)
  return meant === null || meant in Object(data) ? null : meant
}

/** The schema itself, or the one that it refers to. */
export function resolved(part: unknown): Readonly<Record<string, unknown>> {
  const members = membersOf(part) ?? {}
  const name = typeof members.$ref === 'string' ? members.$ref.split('/').at(-1) : undefined
  return name === undefined ? members : resolved((schema.$defs as Record<string, unknown>)[name])
}

/** Mends one failure in place; the paths that changed. */
function mend(file: unknown, failure: TargetFailure): Path[] {
  const path = pathOf(failure)
  if (failure.keyword === 'additionalProperties') {
    const key = String(failure.params.additionalProperty)
    const holder = at(file, path)
    const meant = meantKey(failure)
    if (meant !== null && !(meant in holder)) holder[meant] = holder[key]
    delete holder[key]
    return [key, ...(meant === null ? [] : [meant])].map((changed) => [...path, changed])
  }
  if (isRequired(failure)) {
    const key = String(failure.params.missingProperty)
    if (key in at(file, path)) return []
    const { properties } = failure.parentSchema as { properties?: Record<string, unknown> }
    return replace(file, [...path, key], properties?.[key]) ? [[...path, key]] : remove(file, path)
  }
  return replace(file, path, failure.parentSchema) ? [path] : remove(file, path)
}

function isRequired({ keyword }: TargetFailure): boolean {
  return keyword === 'required'
}

/** Puts the example of a schema at a path; false if it has none. */
function replace(file: unknown, path: readonly string[], part: unknown): boolean {
  const { const: only, enum: values, examples } = resolved(part)
  const value = only ?? (values as unknown[] | undefined)?.[0] ?? (examples as unknown[] | undefined)?.[0]
  if (value === undefined || path.length === 0) return false
  at(file, path.slice(0, -1))[path.at(-1) ?? ''] = structuredClone(value)
  return true
}

/** Removes the value at a path; of a list the whole list, so that no other entry changes its path. */
function remove(file: unknown, path: readonly string[]): Path[] {
  if (path.length === 0) return []
  const holder = at(file, path.slice(0, -1))
  if (Array.isArray(holder)) return remove(file, path.slice(0, -1))
  delete holder[path.at(-1) ?? '']
  return [path]
}

/** The mapping or list at a path; an empty one if an earlier repair removed it. */
function at(file: unknown, path: readonly string[]): Record<string, unknown> {
  const value = path.reduce<unknown>((whole, key) => (whole as Record<string, unknown> | undefined)?.[key], file)
  return (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
}
