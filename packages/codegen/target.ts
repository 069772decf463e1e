import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import addFormats from 'ajv-formats'
import { moduleOf, type Output, withHeader, withoutExports } from './header.ts'
import type { Inputs, Schema } from './inputs.ts'

const TYPES = `import type { ValidationFailure } from './validators.ts'

/** A failure with what lies at its place, and the part of the schema that says what should. */
export interface TargetFailure extends ValidationFailure {
  readonly data: unknown
  readonly parentSchema: object
}

/** True if the data has the form of a target file; else \`errors\` holds every failure until the next call. */
export const validateTarget = validate as ((data: unknown) => boolean) & { errors?: TargetFailure[] | null }`

/** target.ts: the compiled validator of the target file, for to compile it takes a tenth of a second of each start. */
export function generateTarget({ targetSchema }: Inputs): Output {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    allowUnionTypes: true,
    verbose: true,
    code: { source: true, esm: true, lines: true },
  })
  addFormats.default(ajv, ['date'])
  // A regular expression is compiled, or refused, by who reads the file.
  ajv.addFormat('regex', true).addKeyword({ keyword: 'x-expected', schemaType: 'string' })
  const validate = ajv.compile(targetSchema.data as Schema)
  const code = withoutExports(standalone.default(ajv, validate)).replace(/export default \w+;/, '')
  return { name: 'target.ts', text: withHeader(moduleOf(code, TYPES), [targetSchema.text], '// @ts-nocheck\n') }
}
