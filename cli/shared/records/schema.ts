import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorObject } from 'ajv'
import { loadLate } from '../../../harness/common/late.ts'
import { packageFolder } from '../package-paths.ts'

/** A check by a schema of `spec/schemas/`: the first fault of a value, such as `/rules must be array`, or null. */
export function schemaCheck(name: 'results' | 'evidence' | 'certificate'): (value: unknown) => string | null {
  const schema = JSON.parse(readFileSync(join(packageFolder, 'spec', 'schemas', `${name}.schema.json`), 'utf8'))
  const { Ajv2020 } = loadLate('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  const validate = new Ajv2020({ strict: false, discriminator: true }).compile(schema)
  return (value) => {
    validate(value)
    const [error] = validate.errors ?? []
    return error === undefined ? null : `${error.instancePath || 'it'} ${reasonOf(error)}`
  }
}

function reasonOf({ keyword, message = '', params }: ErrorObject): string {
  if (keyword === 'discriminator') return 'has an unknown type'
  if (keyword === 'additionalProperties') return `must not have ${params.additionalProperty}`
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`
  return keyword === 'type' ? `must be ${[params.type].flat().join(' or ')}` : message
}
