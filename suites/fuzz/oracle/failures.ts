import { type Answer, type ConstraintName, constraints } from '../../../generated/tables.ts'
import { constraintOf, type ValidationFailure, type Validator } from '../../../generated/validators.ts'
import { type Allowed, type Answers, refused } from './types.ts'

/**
 * The failures of a value. A member of a wrong type, or below its minimum, does not break a constraint on its value as
 * well.
 */
export function failuresOf(value: unknown, isValid: Validator): readonly ValidationFailure[] {
  const failures = isValid(value) ? [] : (isValid.errors ?? [])
  const isPlain = (one: ValidationFailure) => one.keyword === 'not' || constraintOf(one) === null
  const wrong = new Set(failures.filter(isPlain).map(({ instancePath }) => instancePath))
  return failures.filter((one) => isPlain(one) || !wrong.has(one.instancePath))
}

/**
 * How a body with this failure may be refused: as the document says beside a named constraint, else with `usual`. The
 * reason is the text of the constraint if it has one.
 */
export function refusalOf(failure: ValidationFailure, usual: Answers, reason: string, source: string): Allowed {
  const name = constraintOf(failure)
  const text = failure.keyword === 'not' ? sayConstraint(failure) : reason
  return refused(name === null ? usual : refusing(name), text, source)
}

/** True if a body with this failure may be accepted. */
export function mayBeTaken(failure: ValidationFailure): boolean {
  const name = constraintOf(failure)
  return name !== null && constraints[name].some((answer) => answer === '2XX' || Number(answer) < 300)
}

/** The statuses that may refuse a request for breaking a named constraint. */
export function refusing(name: ConstraintName): Answers {
  const answers: readonly Answer[] = constraints[name]
  if (answers.includes('4XX')) return '4xx'
  return answers.filter((answer): answer is number => typeof answer === 'number' && answer >= 400).sort()
}

function sayConstraint({ parentSchema }: ValidationFailure): string {
  const text = String(parentSchema.description)
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')
}
