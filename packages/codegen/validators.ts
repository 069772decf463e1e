import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import addFormats from 'ajv-formats'
import { moduleOf, type Output, union, withHeader, withoutExports } from './header.ts'
import type { Inputs, Schema } from './inputs.ts'

const POINTER = '#/components/schemas/'

const TYPES = `import type { ConstraintName } from './tables.ts'

/** One failure that a validator found. */
export interface ValidationFailure {
  readonly instancePath: string
  readonly schemaPath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  /** The schema that has the keyword. */
  readonly parentSchema: Readonly<Record<string, unknown>>
  readonly message?: string
}

/** True if the data has the form of the schema; else \`errors\` holds every failure until the next call. */
export type Validator = ((data: unknown) => boolean) & { errors?: ValidationFailure[] | null }

/** The named constraint of a request that a failure breaks; null if its keyword has no answers of its own. */
export function constraintOf({ keyword, parentSchema }: ValidationFailure): ConstraintName | null {
  const { 'x-answers': answers, 'x-constraint': name } = parentSchema
  return typeof answers === 'object' && answers !== null && keyword in answers ? (name as ConstraintName) : null
}`

/** validators.ts: one compiled validator for each component schema, in one module that needs no compilation at run time. */
export function generateValidators({ document, openapi }: Inputs): Output {
  const { schemas } = document.components
  const names = Object.keys(schemas)
  const body = moduleOf(
    `export type SchemaName = ${union(names)}`,
    TYPES,
    compile(schemas, names),
    `export const validators: { readonly [K in SchemaName]: Validator } = { ${names.map((name) => `${name}: validate_${name}`).join(', ')} }`,
  )
  return { name: 'validators.ts', text: withHeader(body, [openapi.text], '// @ts-nocheck\n') }
}

function compile(schemas: Readonly<Record<string, Schema>>, names: readonly string[]): string {
  const ajv = new Ajv2020({
    strict: true,
    // Conditions require properties that the schema around them defines.
    strictRequired: false,
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    inlineRefs: false,
    code: { source: true, esm: true, lines: true },
  })
  addFormats.default(ajv, ['date-time', 'uri', 'float'])
  ajv.addVocabulary([...annotations(schemas), 'components'])
  ajv.addSchema({ $id: 'api', components: { schemas } })
  const code = standalone.default(
    ajv,
    Object.fromEntries(names.map((name) => [`validate_${name}`, `api${POINTER}${name}`])),
  )
  return withoutExports(code)
}

/** Keywords that say something about a schema without constraining it: what strict mode has to be told of. */
function annotations(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found
  for (const [key, inner] of Object.entries(value)) {
    if (key.startsWith('x-') || key === 'example') found.add(key)
    annotations(inner, found)
  }
  return found
}
