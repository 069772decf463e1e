import type { ValidationFailure, Validator } from '../../../generated/validators.ts'
import { membersOf } from '../../../harness/exchange/read.ts'
import { type Allowed, failuresOf, mayBeTaken, refusalOf, refused, refusing } from './answers.ts'

const heading = 'Other operations'

/**
 * The permitted responses to a creation, by its body. Its path and payload are not shown, so the only sources are the
 * fields of a pod and the headings Mounts, GpuConfig and CpuConfig. Only the platform knows what it offers.
 */
export function ofCreation(value: unknown, isValid: Validator): Allowed[] {
  if (membersOf(value) === null) return [refused(refusing('notObject'), 'the body is not an object')]
  const failures = failuresOf(value, isValid)
  const refusals = failures.map((failure) =>
    isUndescribed(failure)
      ? refused('4xx', 'members beside those of a pod are not described', heading)
      : refusalOf(failure, [422], 'a field is not as stated', 'Pod'),
  )
  if (!failures.every((failure) => mayBeTaken(failure) || isUndescribed(failure))) return refusals
  if (failures.length === 0) refusals.push(refused('4xx', 'what is on offer is not known', heading))
  return [{ answers: '2xx', reason: 'the body is valid', source: heading, after: { kind: 'made' } }, ...refusals]
}

/** True if the description does not say how such a creation is answered: which members a creation has is not shown. */
function isUndescribed({ instancePath, keyword }: ValidationFailure): boolean {
  return instancePath === '' && (keyword === 'required' || keyword === 'additionalProperties')
}
