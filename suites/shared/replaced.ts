import { membersOf } from '../../harness/exchange/read.ts'

/** A copy of a value with another one at a path of names and places in lists. */
export function replaced(value: unknown, [step, ...rest]: readonly (string | number)[], wanted: unknown): unknown {
  if (step === undefined) return wanted
  if (Array.isArray(value)) return value.map((item, at) => (at === step ? replaced(item, rest, wanted) : item))
  const members = membersOf(value)
  return { ...members, [step]: replaced(members?.[step], rest, wanted) }
}
