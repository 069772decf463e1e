import { type TargetFailure, validateTarget } from '../generated/target.ts'
import { allNeeds } from '../harness/claims/needs.ts'
import { cut } from '../harness/common/cut.ts'
import { membersOf } from '../harness/exchange/read.ts'
import schema from '../spec/schemas/target.schema.json' with { type: 'json' }
import { suggestion } from './nearest.ts'
import { meantKey, pathOf, type Repaired, repair, resolved } from './repair.ts'

/** A fault at `path` in the value; `atKey` if the key itself is wrong. */
interface SchemaFault {
  readonly path: readonly (string | number)[]
  readonly atKey: boolean
  readonly message: string
}

/** The faults of a value by `spec/schemas/target.schema.json`, and the value with them mended; null if it cannot be. */
export function checkSchema(value: unknown): {
  readonly faults: readonly SchemaFault[]
  readonly mended: Repaired | null
} {
  // Ajv also reports the faulty name itself.
  const failures = (validateTarget(value) ? [] : (validateTarget.errors ?? [])).filter(
    ({ keyword }) => keyword !== 'propertyNames',
  )
  const faults = failures.filter((failure) => !isMisspelt(failure, failures)).map((failure) => toFault(failure))
  return { faults: [...faults, ...unknownNeeds(value)], mended: repair(value) }
}

/** True if a key is missing because the same mapping has it in another spelling. */
function isMisspelt({ keyword, instancePath, params }: TargetFailure, failures: readonly TargetFailure[]): boolean {
  if (keyword !== 'required') return false
  const unknown = failures.filter((one) => one.keyword === 'additionalProperties' && one.instancePath === instancePath)
  return unknown.some((one) => meantKey(one) === params.missingProperty)
}

function unknownNeeds(value: unknown): SchemaFault[] {
  const known = Object.keys(allNeeds())
  return Object.keys(membersOf(membersOf(value)?.absent) ?? {})
    .filter((need) => !known.includes(need))
    .map((need) => ({
      path: ['absent', need],
      atKey: true,
      message: `absent.${need}: unknown capability${suggestion(need, known)}`,
    }))
}

function toFault(failure: TargetFailure): SchemaFault {
  const { keyword, params, parentSchema, data } = failure
  const path = pathOf(failure)
  const place = path.length === 0 ? 'the file' : path.join('.')
  if (keyword === 'additionalProperties') {
    const key = String(params.additionalProperty)
    const known = Object.keys((parentSchema as { properties?: object }).properties ?? {})
    const full = [...path, key].join('.')
    return {
      path: [...path, key],
      atKey: true,
      message: `${full}: unknown key${elsewhere(key, path) ?? suggestion(key, known)}`,
    }
  }
  const expected = expectedOf(parentSchema)
  if (keyword === 'required') {
    const key = [...path, params.missingProperty].join('.')
    const { properties } = parentSchema as { properties?: Record<string, object> }
    const part = expectedOf(properties?.[String(params.missingProperty)])
    return { path, atKey: false, message: `${key} is missing${part === null ? '' : `; expected ${part}`}` }
  }
  const got =
    keyword === 'uniqueItems' ? `${show((data as unknown[])[Number(params.i)], path)} twice` : show(data, path)
  return { path, atKey: false, message: `${place}: expected ${expected ?? keyword}, got ${got}` }
}

/** Advice about a merge key; `; move it to pods` if a key belongs there or to the top level, and nowhere else; null otherwise. */
function elsewhere(key: string, path: readonly string[]): string | null {
  if (key === '<<') return '; merge keys are not read: write the members out, or give the whole mapping as an alias'
  if (path[0] === 'known' && key === 'until') return '; did you mean expires?'
  if (path.length > 0) return key in schema.properties ? '; move it to the top level' : null
  const homes = Object.entries(schema.properties).filter(
    ([, part]) => key in (membersOf(resolved(part).properties) ?? {}),
  )
  return homes.length === 1 ? `; move it to ${homes[0]?.[0]}` : null
}

function expectedOf(part: unknown): string | null {
  const own = membersOf(part)?.['x-expected'] ?? resolved(part)['x-expected']
  return typeof own === 'string' ? own : null
}

/** The actual value in a few characters; values below `keys` are never shown. */
function show(value: unknown, path: readonly string[]): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  if (path[0] === 'keys') return `a ${typeof value} (not shown)`
  return cut(JSON.stringify(value), 80)
}
