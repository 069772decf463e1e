import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { ValidationFailure } from '../generated/validators.ts'
import schema from '../spec/schemas/target.schema.json' with { type: 'json' }

/** A failure with what is at its place, and the part of the schema that says what should be. */
export interface TargetFailure extends ValidationFailure {
  readonly data: unknown
}

type Validate = ((data: unknown) => boolean) & { errors?: TargetFailure[] | null }

let validate: Validate | undefined

/** Every failure of a value by `spec/schemas/target.schema.json`. */
export function failuresIn(value: unknown): readonly TargetFailure[] {
  // Compiled when it is first used, which takes a tenth of a second.
  validate ??= compileTarget(schema)
  return validate(value) ? [] : (validate.errors ?? [])
}

/** The validator of a schema of target files. */
export function compileTarget(schema: object): Validate {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    inlineRefs: false,
    messages: false,
    validateSchema: false,
  })
  addFormats.default(ajv, ['date'])
  // A regular expression is compiled, or refused, by the reader of the file; messages are made of x-expected.
  ajv.addFormat('regex', true).addKeyword({ keyword: 'x-expected', schemaType: 'string' })
  return ajv.compile(schema) as Validate
}
