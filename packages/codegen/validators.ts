import { type Output, withHeader } from './header.ts'
import type { Inputs } from './inputs.ts'

const TYPES = `import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { components } from './api.ts'
import { openapi } from './openapi.ts'
import type { ConstraintName } from './tables.ts'

export type SchemaName = keyof components['schemas']

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

const VALIDATORS = `// A function for each definition, not its text at each use; conditions require properties that the schema around them defines.
const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  inlineRefs: false,
  strictRequired: false,
  validateSchema: false,
})
addFormats.default(ajv, ['date-time', 'uri', 'float'])
ajv.addVocabulary([...annotations, 'components'])
ajv.addSchema({ $id: 'api', components: openapi.components })

/** The validator of each component schema, compiled when it is first used. */
export const validators = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.keys(openapi.components.schemas ?? {}).map((name) => [
      name,
      { enumerable: true, get: () => ajv.getSchema(\`api#/components/schemas/\${name}\`) },
    ]),
  ),
) as { readonly [K in SchemaName]: Validator }`

/** validators.ts: a validator for each component schema. */
export function generateValidators({ document, openapi }: Inputs): Output {
  const names = JSON.stringify([...annotations(document.components.schemas)])
  const known = `/** Keywords that constrain nothing. */\nconst annotations = ${names}`
  return { name: 'validators.ts', text: withHeader([TYPES, known, VALIDATORS].join('\n\n'), [openapi.text]) }
}

/** Keywords that say something about a schema without constraining it: strict mode has to know them. */
function annotations(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found
  for (const [key, inner] of Object.entries(value)) {
    if (key.startsWith('x-') || key === 'example') found.add(key)
    annotations(inner, found)
  }
  return found
}
