import { expect, test } from 'vitest'
import { withKnown } from './accept.ts'

const entry = { rule: 'pods.delete', clause: 'gone', reason: 'fixed: soon', expires: '2027-01-31' }
const written = '  - rule: pods.delete\n    clause: gone\n    reason: "fixed: soon"\n    expires: 2027-01-31\n'
const head = '# ours\nplumbline: 1 # the format\n\npods: https://a.test\nabsent: {volume: none}\n'

test.each<[what: string, before: string, after: string]>([
  ['no list', head, `${head}known:\n${written}`],
  ['an empty list', `${head}known: []\n`, `${head}known:\n${written}`],
  ['a key without a value', `${head}known:\n`, `${head}known:\n${written}`],
  [
    'other entries',
    `${head}known:\n  # ticket 12\n  - rule: pods.delete\n    clause: other # keep\n    reason: x\n    expires: 2026-12-31\nname: acme\n`,
    `${head}known:\n  # ticket 12\n  - rule: pods.delete\n    clause: other # keep\n    reason: x\n    expires: 2026-12-31\n${written}name: acme\n`,
  ],
  [
    'the same entry',
    `${head}known:\n  - {rule: pods.delete, clause: gone, reason: x, expires: 2026-12-31} # ticket 12\n`,
    `${head}known:\n  - {rule: pods.delete, clause: gone, reason: "fixed: soon", expires: 2027-01-31} # ticket 12\n`,
  ],
  [
    'an entry for the whole rule',
    `${head}known:\n  - rule: pods.delete\n    reason: x # why\n    expires: 2026-12-31\n`,
    `${head}known:\n  - rule: pods.delete\n    reason: "fixed: soon" # why\n    expires: 2027-01-31\n`,
  ],
  [
    'a list that is not indented',
    'known:\n- rule: a\n  reason: x\n',
    `known:\n- rule: a\n  reason: x\n${written.replace(/^ {2}/gm, '')}`,
  ],
  ['other ends of lines', 'name: a\r\n', `name: a\r\nknown:\r\n${written.replaceAll('\n', '\r\n')}`],
])('an entry beside %s', (_, before, after) => {
  expect(withKnown(before, [entry])).toBe(after)
})

test('an entry for the whole rule stays the only one for its clauses', () => {
  const whole = `${head}known:\n  - {rule: pods.delete, reason: x, expires: 2026-12-31}\n`
  const text = withKnown(whole, [entry, { ...entry, clause: 'again' }, { ...entry, rule: 'pods.get' }])
  expect(text?.match(/rule: .*/g)).toEqual([
    'rule: pods.delete, reason: "fixed: soon", expires: 2027-01-31}',
    'rule: pods.get',
  ])
})

test('an alias in place of the list is refused', () => {
  expect(withKnown('x: &x []\nknown: *x\n', [entry])).toBeNull()
})
