import { expect, test } from 'vitest'
import { likeTexts, mutate } from './mutate.ts'

test.each([
  ['pod-k3x9', 'pod-n8a4'],
  ['7f3c0a52-9d1e', '7f3c0a52-4a6b'],
  ['KEY_ZZZ', 'KEB_CCC'],
  ['rk.Ab~', 'un.De~'],
  ['--', '--'],
])('%s becomes %s', (text, other) => {
  expect(mutate(text)).toBe(other)
})

test.each(['pod-k3x9', 'a', '7f3c0a52-9d1e'])('texts like %s are others', (text) => {
  const others = Object.values(likeTexts).map((change) => change(text))
  expect(others).not.toContain(text)
  expect(others).not.toContain('')
})
