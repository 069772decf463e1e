import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { sourcesOf } from './headings.ts'
import type { Source } from './inputs.ts'

/** The form of one row of the ledger. */
export const ruleSchema = {
  type: 'object',
  required: ['id', 'area', 'profile', 'level', 'basis', 'source', 'says'],
  properties: {
    id: { type: 'string', pattern: '^[a-z0-9]+([.-][a-z0-9]+)+$' },
    area: { type: 'string' },
    profile: { enum: ['core', 'long', 'limits', 'inside', 'deploy', 'deploy-size', 'lab'] },
    level: { enum: ['must', 'should'] },
    basis: { enum: ['stated', 'inferred', 'open'] },
    source: { type: 'string', minLength: 1 },
    says: { type: 'string', minLength: 1 },
    needs: { type: 'array', items: { type: 'string', pattern: '^[A-Za-z0-9.-]+$' }, uniqueItems: true },
    parts: { type: 'array', items: { type: 'string', pattern: '^[A-Za-z0-9.-]+$' }, uniqueItems: true },
    wait: { type: 'string', pattern: '^[0-9]+(s|m|h|d)$' },
    judged: { type: 'string', minLength: 1 },
  },
  additionalProperties: false,
} as const

/** One row of the ledger, with every member there. */
type RuleRow = { readonly [Member in keyof typeof ruleSchema.properties]: unknown } & {
  readonly id: string
  readonly area: string
  readonly source: string
}

const validate = new Ajv2020({ strict: true }).compile(ruleSchema)

/**
 * The rows of all ledger files, in order. Throws one sentence that names file and id for a row of the wrong form, an
 * id that stands twice, or a source that is no heading of the description. `headings` null: any source, as in a vendor's own rules.
 */
export function readLedger(files: readonly Source[], headings: Source | null): readonly RuleRow[] {
  const sources = headings === null ? null : sourcesOf(headings)
  const seen = new Map<string, string>()
  return files.flatMap(({ path, data }) => {
    if (!Array.isArray(data)) throw new Error(`${path} holds ${kindOfValue(data)}; write a list of rules.`)
    return data.map((row: unknown, index) => {
      const rule = readRow(row, `${path}, ${nameOf(row, index)}`)
      const where = `${path}, rule ${rule.id}`
      const earlier = seen.get(rule.id)
      if (earlier) throw new Error(`${where}: the id is already in ${earlier}; ids are unique.`)
      if (sources?.has(rule.source) === false) {
        throw new Error(`${where}: source "${rule.source}" is not a heading of spec/headings.yaml; name one that is.`)
      }
      seen.set(rule.id, path)
      return rule
    })
  })
}

function readRow(row: unknown, where: string): RuleRow {
  if (!validate(row)) throw new Error(`${where}: ${explain(validate.errors?.[0], row)}`)
  const given = row as RuleRow
  if (!given.id.startsWith(`${given.area}.`)) {
    throw new Error(`${where}: "area" is "${given.area}"; it must be the first part of the id.`)
  }
  const { id, area, profile, level, basis, source, says, needs = [], parts = [], wait = null, judged = null } = given
  return { id, area, profile, level, basis, source, says, needs, parts, wait, judged }
}

function explain(error: ErrorObject | undefined, row: unknown): string {
  if (!error) return 'the row is not valid.'
  const { keyword, params, instancePath } = error
  const key = instancePath.split('/')[1] ?? ''
  const given = JSON.stringify((row as Record<string, unknown>)[key])
  if (keyword === 'additionalProperties') {
    return `unknown key "${params.additionalProperty}"; the keys are ${Object.keys(ruleSchema.properties).join(', ')}.`
  }
  if (keyword === 'required') return `"${params.missingProperty}" is missing; add it.`
  if (keyword === 'enum') return `"${key}" is ${given}; it must be one of ${params.allowedValues.join(', ')}.`
  if (key === '') return `the row is ${kindOfValue(row)}; write an object.`
  return `"${key}" is ${given}; it ${error.message}.`
}

function nameOf(row: unknown, index: number): string {
  const id = typeof row === 'object' && row !== null ? (row as { id?: unknown }).id : undefined
  return typeof id === 'string' ? `rule ${id}` : `row ${index + 1}`
}

function kindOfValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`
}
