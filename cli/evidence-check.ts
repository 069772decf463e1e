import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { membersOf } from '../harness/exchange/read.ts'
import { type CheckLine, InvalidRecord } from '../harness/record/read.ts'
import { packageFolder } from './home.ts'

/** Throws InvalidRecord for a line that `spec/schemas/evidence.schema.json` does not allow, or that is out of place. */
export function createEvidenceCheck(): CheckLine {
  const schema = JSON.parse(readFileSync(join(packageFolder, 'spec', 'schemas', 'evidence.schema.json'), 'utf8'))
  const validate = new Ajv2020({ strict: false, discriminator: true }).compile(schema)
  let before: unknown = null
  return (event, place) => {
    const damaged = (why: string) => new InvalidRecord(`${place} ${why}; the record is damaged`)
    const type = membersOf(event)?.type
    if (!validate(event)) {
      const [error] = validate.errors ?? []
      const why = error?.keyword === 'discriminator' ? 'has an unknown type' : error?.message
      throw damaged(`is not a line of evidence: ${error?.instancePath || 'it'} ${why}`)
    }
    if ((before === null) !== (type === 'run')) {
      throw damaged(before === null ? 'is the first line and has no type run' : 'is a second line of type run')
    }
    if (before === 'end') throw damaged('comes after the line of type end')
    before = type
  }
}
