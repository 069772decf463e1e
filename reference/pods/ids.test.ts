import { expect, test } from 'vitest'
import { createIds } from './ids.ts'

test('the same seed gives the same identifiers, and no two are alike', () => {
  const ids = Array.from({ length: 20_000 }, (_, n) => createIds('a')(n))
  expect(new Set(ids).size).toBe(ids.length)
  expect(createIds('a')(7)).toBe(ids[7])
  expect(createIds('b')(7)).not.toBe(ids[7])
  expect(ids.every((id) => /^pod-[a-z2-7]{12}$/.test(id))).toBe(true)
})
