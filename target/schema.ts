import { type TargetFailure, validateTarget } from '../generated/target.ts'
import type { TargetFile } from '../generated/target-file.ts'
import schema from '../spec/schemas/target.schema.json' with { type: 'json' }
import { suggestion } from './nearest.ts'
import { allNeeds } from './needs.ts'

/** A fault at `path` in the value; `atKey` if the key itself is wrong. */
export interface SchemaFault {
  readonly path: readonly (string | number)[]
  readonly atKey: boolean
  readonly message: string
}

/** Checks a value against `spec/schemas/target.schema.json`; returns the value itself if it is valid. */
export function checkSchema(
  value: unknown,
): { readonly file: TargetFile } | { readonly faults: readonly SchemaFault[] } {
  if (!validateTarget(value)) return { faults: (validateTarget.errors ?? []).map((error) => toFault(error)) }
  const file = value as TargetFile
  const faults = unknownNeeds(file)
  return faults.length === 0 ? { file } : { faults }
}

function unknownNeeds(file: TargetFile): SchemaFault[] {
  const known = Object.keys(allNeeds())
  return Object.keys(file.absent ?? {})
    .filter((need) => !known.includes(need))
    .map((need) => ({
      path: ['absent', need],
      atKey: true,
      message: `absent.${need}: unknown capability${suggestion(need, known)}`,
    }))
}

function toFault({ keyword, instancePath, params, parentSchema, data }: TargetFailure): SchemaFault {
  const path = instancePath.split('/').slice(1).map(plain)
  const place = path.length === 0 ? 'the file' : path.join('.')
  if (keyword === 'additionalProperties') {
    const key = String(params.additionalProperty)
    const known = Object.keys((parentSchema as { properties?: object }).properties ?? {})
    const full = [...path, key].join('.')
    return {
      path: [...path, key],
      atKey: true,
      message: `${full}: unknown key${suggestion(key, known)}`,
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

function expectedOf(part: unknown): string | null {
  const { 'x-expected': own, $ref } = (part ?? {}) as { 'x-expected'?: string; $ref?: string }
  if (own !== undefined) return own
  const name = $ref?.split('/').at(-1)
  return name === undefined ? null : expectedOf((schema.$defs as Record<string, unknown>)[name])
}

/** The actual value in a few characters; values below `keys` are never shown. */
function show(value: unknown, path: readonly string[]): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  if (path[0] === 'keys') return `a ${typeof value} (not shown)`
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

function plain(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
