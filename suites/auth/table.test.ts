import { expect, test } from 'vitest'
import { operations, type PlaneName } from '../../generated/operations.ts'
import { rules } from '../../generated/rules.ts'

const planes = new Set<PlaneName>(Object.values(operations).map(({ plane }) => plane))

test.each([...planes])('a rule of the plane %s judges each kind of credentials', (plane) => {
  const ids = new Set<string>(rules.map(({ id }) => id))
  const kinds = ['missing', 'malformed', 'invalid', 'expired', 'hidden', 'forbidden']
  expect(kinds.filter((kind) => !ids.has(`auth.${plane}.${kind}`))).toEqual([])
})
