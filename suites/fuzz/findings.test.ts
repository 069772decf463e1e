import { expect, test } from 'vitest'
import { bodyText, caseSaid } from './cases.ts'
import { type FuzzFinding, groupsOf, timesOf } from './findings.ts'

function finding(mutator: string, observed: string, count: number): FuzzFinding {
  const how = { isPodless: false, isSeenLater: false, expected: '422', seed: 1, path: '1' }
  const cases = [{ mutator, place: '$', bytes: new Uint8Array() }]
  return { operation: 'triggerPodAction', stage: 'triggerPodAction RUNNING', observed, count, cases, ...how }
}

test('findings of one response are one group, the most frequent first', () => {
  const groups = groupsOf([
    finding('extra', 'status 500', 1),
    finding('padded', 'status 200', 2),
    finding('extra-null', 'status 500', 4),
  ])
  expect(groups.map((group) => [timesOf(group), ...group.map(({ cases }) => cases[0]?.mutator)])).toEqual([
    [5, 'extra-null', 'extra'],
    [2, 'padded'],
  ])
})

test.each([
  ['extra-proto', 'at $ a property named __proto__ was added'],
  ['null + truncated', 'at $ it is null, and the last byte is missing'],
  ['as-is', 'the body is a valid one, as it is'],
])('%s is said in words', (mutator, said) => {
  expect(caseSaid({ mutator, place: '$' })).toBe(said)
})

test.each([
  ['a byte order mark', '\ufeff{}', '\\u{feff}{}'],
  ['a zero-width space', '{"a\u200b":1}', '{"a\\u{200b}":1}'],
  ['a line feed', '{\n}', '{\\n}'],
  ['a no-break space', '{\u00a0}', '{\\u{a0}}'],
  ['blanks and letters', '{ "ä": 1 }', '{ "ä": 1 }'],
  ['nothing', '', 'no body'],
])('%s of a body is seen in its text', (_, body, text) => {
  expect(bodyText(new TextEncoder().encode(body))).toBe(text)
})
