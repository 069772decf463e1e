import { expect, test } from 'vitest'
import { neededBy } from '../harness/rule/invariant-needs.ts'
import { allRules } from '../harness/rule/registry.ts'
import './all.ts'

test('harness/rule/invariant-needs.ts says for each invariant what exercises it', () => {
  const invariants = allRules().filter(({ kind }) => kind === 'invariant')
  expect(invariants.length).toBeGreaterThan(40)
  expect(invariants.map(({ id }) => [id, neededBy(id)])).not.toContainEqual([
    expect.anything(),
    neededBy('version.unknown' as never),
  ])
})
