import type { ValidationFailure, Validator } from '../../../generated/validators.ts'
import { canonical, membersOf } from '../../../harness/exchange/read.ts'
import { type Allowed, failuresOf, mayBeTaken, refusalOf, refused, refusing } from './allowed.ts'

const heading = 'Other operations'

/**
 * The permitted responses to a creation, by its body. Its path and payload are not shown, so the only sources are the
 * fields of a pod and the headings Mounts, GpuConfig and CpuConfig. Only the platform knows what it offers.
 * @param isRandom the body may have several faults, and name what is not on offer.
 */
export function ofCreation(value: unknown, isValid: Validator, isRandom = false): Allowed[] {
  if (membersOf(value) === null) return [refused(refusing('notObject'), 'the body is not an object')]
  const without = withoutNulls(value)
  if (canonical(without) === canonical(value)) return ofWhole(value, isValid, isRandom)
  const asNull = refused([400, 422], 'null for a member is not spoken of', heading)
  return [asNull, ...ofWhole(value, isValid, isRandom), ...ofWhole(without, isValid, isRandom)]
}

function ofWhole(value: unknown, isValid: Validator, isRandom: boolean): Allowed[] {
  const failures = failuresOf(value, isValid)
  const refusals = failures.map((failure) =>
    isUndescribed(failure)
      ? refused('4xx', 'members beside those of a pod are not described', heading)
      : refusalOf(failure, 'a field is not as stated', 'Pod'),
  )
  // The description gives no order: what is not on offer may be refused before anything else is looked at.
  if (isRandom || failures.length === 0) refusals.push(refused('4xx', 'what is on offer is not known', heading))
  if (!failures.every((failure) => mayBeTaken(failure) || isUndescribed(failure))) return refusals
  return [{ answers: '2xx', reason: 'the body is valid', source: heading, after: { kind: 'made' } }, ...refusals]
}

/** True if the description does not say how such a creation is answered: which members a creation has is not shown. */
function isUndescribed({ instancePath, keyword }: ValidationFailure): boolean {
  return instancePath === '' && (keyword === 'required' || keyword === 'additionalProperties')
}

/** A value without the members that are null, which can count as left out. A variable has a value. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  const members = membersOf(value)
  if (members === null) return value
  const given = Object.entries(members).filter(([, one]) => one !== null)
  return Object.fromEntries(given.map(([name, one]) => [name, name === 'env' ? one : withoutNulls(one)]))
}
