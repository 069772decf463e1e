import { expect, test } from 'vitest'
import type { Source } from './inputs.ts'
import { readLedger } from './ledger.ts'

const HEADINGS = source('spec/headings.yaml', {
  headings: [{ level: 3, text: 'Mounts (no extra properties allowed)' }],
  labels: ['Address placeholders'],
})
const ROW = {
  id: 'pods.patch.both',
  area: 'pods',
  profile: 'core',
  level: 'must',
  basis: 'stated',
  source: 'Mounts',
  says: 'Both: 400.',
}

test('a row gets every member', () => {
  expect(readLedger([source('spec/rules/pods.yaml', [ROW])], HEADINGS)).toEqual([
    { ...ROW, needs: [], parts: [], wait: null, judged: null },
  ])
})

test('rows keep the order of files and lines', () => {
  const files = [
    source('spec/rules/a.yaml', [
      { ...ROW, id: 'pods.b' },
      { ...ROW, id: 'pods.a' },
    ]),
    source('spec/rules/b.yaml', [{ ...ROW, id: 'pods.0', needs: ['volume'], wait: '5s', judged: 'always' }]),
  ]
  expect(readLedger(files, HEADINGS).map(({ id }) => id)).toEqual(['pods.b', 'pods.a', 'pods.0'])
})

test.each([['Mounts (no extra properties allowed)'], ['Address placeholders']])(
  '%s is accepted as a source',
  (name) => {
    expect(readLedger([source('spec/rules/pods.yaml', [{ ...ROW, source: name }])], HEADINGS)).toHaveLength(1)
  },
)

const WHERE = 'spec/rules/pods.yaml, rule pods.patch.both: '
test.each([
  [
    { ...ROW, sorce: 'Mounts' },
    `${WHERE}unknown key "sorce"; the keys are id, area, profile, level, basis, source, says, needs, parts, wait, judged.`,
  ],
  [{ ...ROW, level: 'may' }, `${WHERE}"level" is "may"; it must be one of must, should.`],
  [{ ...ROW, wait: 'soon' }, `${WHERE}"wait" is "soon"; it must match pattern "^[0-9]+(s|m|h|d)$".`],
  [{ ...ROW, needs: 'volume' }, `${WHERE}"needs" is "volume"; it must be array.`],
  [{ ...ROW, says: undefined }, `${WHERE}"says" is missing; add it.`],
  [{ ...ROW, source: 'Mount' }, `${WHERE}source "Mount" is not a heading of spec/headings.yaml; name one that is.`],
  [{ ...ROW, id: undefined }, 'spec/rules/pods.yaml, row 1: "id" is missing; add it.'],
  ['text', 'spec/rules/pods.yaml, row 1: the row is a value of type string; write an object.'],
])('%j is refused', (row, sentence) => {
  expect(() => readLedger([source('spec/rules/pods.yaml', [row])], HEADINGS)).toThrow(new Error(sentence))
})

test('an id that stands twice is refused', () => {
  const files = [source('spec/rules/a.yaml', [ROW]), source('spec/rules/b.yaml', [ROW])]
  expect(() => readLedger(files, HEADINGS)).toThrow(
    'spec/rules/b.yaml, rule pods.patch.both: the id is already in spec/rules/a.yaml; ids are unique.',
  )
})

test('a file that is no list is refused', () => {
  expect(() => readLedger([source('spec/rules/a.yaml', null)], HEADINGS)).toThrow(
    'spec/rules/a.yaml holds nothing; write a list of rules.',
  )
})

function source(path: string, data: unknown): Source {
  return { path, text: '', data: JSON.parse(JSON.stringify(data)) }
}
