import { expect, test } from 'vitest'
import { likeTexts, mutate } from './mutate.ts'

test.each([
  ['pod-k3x9', 'pod-n8a4'],
  ['7f3c0a52-9d1e', '7f3c0a52-4a6b'],
  ['KEY_ZZZ', 'KEB_CCC'],
  ['rk.Ab~', 'un.De~'],
  ['--', '--'],
  ['job-12', 'job-9000000012'],
  ['7', '9000000007'],
  ['task 12%', 'task 9000000012%'],
])('%s becomes %s', (text, other) => {
  expect(mutate(text)).toBe(other)
})

test.each(['job-12', 'pod12', '55', '12-eu', '№ 12', 'задание 12%', '12='])(
  'no text like %s is that of a neighbour',
  (text) => {
    const issued = Array.from({ length: 2_000 }, (_, n) => text.replace(/\d+/, String(n)))
    for (const change of Object.values(likeTexts)) expect(issued).not.toContain(change(text))
  },
)

test.each(['pod-k3x9', 'a', '7f3c0a52-9d1e'])('texts like %s are others', (text) => {
  const others = Object.values(likeTexts).map((change) => change(text))
  expect(others).not.toContain(text)
  expect(others).not.toContain('')
})
