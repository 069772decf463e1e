import { membersOf } from '../../../harness/exchange/read.ts'
import { type CheckLine, InvalidRecord } from '../../../harness/record/read.ts'
import { schemaCheck } from './schema.ts'

/** Throws InvalidRecord for an event that `spec/schemas/evidence.schema.json` does not allow, or that is out of place. */
export function createEvidenceCheck(): CheckLine {
  const faultOf = schemaCheck('evidence')
  let before: unknown = null
  return (event, place) => {
    const damaged = (why: string) => new InvalidRecord(`${place} ${why}; the record is damaged`)
    const type = membersOf(event)?.type
    const fault = faultOf(event)
    if (fault !== null) throw damaged(`is not an event: ${fault}`)
    if ((before === null) !== (type === 'run')) {
      throw damaged(before === null ? 'is the first event and has no type run' : 'is a second event of type run')
    }
    if (before === 'end') throw damaged('comes after the event of type end')
    before = type
  }
}
