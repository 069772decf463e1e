import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import addFormats, { type FormatName } from 'ajv-formats'
import { type Output, union, withHeader } from './header.ts'
import type { Inputs, Schema } from './inputs.ts'

const POINTER = '#/components/schemas/'
const NO_CHECK = '// @ts-nocheck\n'

const API_TYPES = `import { openapi } from './openapi.ts'
import type { ConstraintName } from './tables.ts'

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

/** The named constraint of a request that a failure breaks; null if its keyword has no responses of its own. */
export function constraintOf({ keyword, parentSchema }: ValidationFailure): ConstraintName | null {
  const { 'x-answers': answers, 'x-constraint': name } = parentSchema
  return typeof answers === 'object' && answers !== null && keyword in answers ? (name as ConstraintName) : null
}`

const TARGET_TYPES = `import schema from '../spec/schemas/target.schema.json' with { type: 'json' }
import type { ValidationFailure } from './validators.ts'

/** A failure with what lies at its place, and the part of the schema that says what should. */
export interface TargetFailure extends Omit<ValidationFailure, 'schemaPath'> {
  readonly data: unknown
  readonly parentSchema: object
}

/** True if the data has the form of a target file; else \`errors\` holds every failure until the next call. */
export const validateTarget = validate as ((data: unknown) => boolean) & { errors?: TargetFailure[] | null }`

/** validators.ts: one compiled validator for each component schema, in one module that needs no compilation at run time. */
export function generateValidators({ document, openapi }: Inputs): Output {
  const { schemas } = document.components
  const names = Object.keys(schemas)
  const body = moduleOf(
    `export type SchemaName = ${union(names)}`,
    API_TYPES,
    compile(schemas, names),
    `export const validators: { readonly [K in SchemaName]: Validator } = { ${names.map((name) => `${name}: validate_${name}`).join(', ')} }`,
  )
  return { name: 'validators.ts', text: withHeader(body, [openapi.text], NO_CHECK) }
}

/** target.ts: the compiled validator of the target file; to compile it takes a tenth of a second of each start. */
export function generateTarget({ targetSchema }: Inputs): Output {
  // Its messages are made of x-expected.
  const ajv = compiler(['date'], { messages: false })
  // A regular expression is compiled, or refused, by the reader of the file.
  ajv.addFormat('regex', true).addKeyword({ keyword: 'x-expected', schemaType: 'string' })
  const schema = targetSchema.data as Schema
  const validate = ajv.compile(schema)
  const code = shortened(standalone.default(ajv, validate), 'schema', schema)
    .replace(/export default \w+;/, '')
    .replaceAll(/schemaPath:"[^"]*",/g, '')
  return { name: 'target.ts', text: withHeader(moduleOf(code, TARGET_TYPES), [targetSchema.text], NO_CHECK) }
}

function compile(schemas: Readonly<Record<string, Schema>>, names: readonly string[]): string {
  const ajv = compiler(['date-time', 'uri', 'float'], {
    // Conditions require properties that the schema around them defines.
    strictRequired: false,
  })
  ajv.addVocabulary([...annotations(schemas), 'components'])
  ajv.addSchema({ $id: 'api', components: { schemas } })
  const code = standalone.default(
    ajv,
    Object.fromEntries(names.map((name) => [`validate_${name}`, `api${POINTER}${name}`])),
  )
  // Whoever reads a failure has the value.
  return shortened(code, 'openapi.components.schemas', schemas).replaceAll(/,data:\w+\}/g, '}')
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

/** A compiler to standalone code of validators that report every failure. */
function compiler(formats: FormatName[], options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    // A function for each definition, not its text at each use.
    inlineRefs: false,
    code: { source: true, esm: true, lines: true },
    ...options,
  })
  addFormats.default(ajv, formats)
  return ajv
}

/** The text of a module out of parts, with the `require` that compiled validators call. */
function moduleOf(...parts: readonly string[]): string {
  return [
    "import { createRequire } from 'node:module'",
    'const require = createRequire(import.meta.url)',
    ...parts,
  ].join('\n\n')
}

/** Compiled validators as constants of the module, whose exports are typed by hand; their schemas are those at `path`. */
function shortened(code: string, path: string, schemas: Readonly<Record<string, unknown>>): string {
  const places = placesOf(schemas, path)
  return (
    code
      .replace(/^"use strict";/, '')
      .replaceAll(/export const (validate\w*)/g, 'const $1')
      .replaceAll(/^const (schema\d+) = (\{.*\});$/gm, (line, name, text) => {
        const place = places.get(text)
        return place === undefined ? line : `const ${name} = ${place};`
      })
      .replaceAll(
        /if\(vErrors === null\)\{\s*vErrors = \[(\w+)\];\s*\}\s*else \{\s*vErrors\.push\(\1\);\s*\}/g,
        '(vErrors ??= []).push($1);',
      )
      // The value of the keyword is in the schema that has it.
      .replaceAll(/,schema:[^,{}]*,parentSchema:/g, ',parentSchema:')
  )
}

/** Path of each schema, by its JSON text. */
function placesOf(value: unknown, path: string, found = new Map<string, string>()): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null) return found
  found.set(JSON.stringify(value), path)
  for (const [key, inner] of Object.entries(value)) placesOf(inner, `${path}[${JSON.stringify(key)}]`, found)
  return found
}
