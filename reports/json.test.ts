import { expect, it } from 'vitest'
import { jsonLines } from './json.ts'

it.each<[text: string, about: string, lines: string[] | null]>([
  [
    '{"a":1.00,"a":[],"b":{"c":"}"}}',
    'c',
    ['{', '  "a": 1.00,', '  "a": [],', '  "b": {', '>    "c": "}"', '  }', '}'],
  ],
  ['[9007199254740993]', '', ['[', '  9007199254740993', ']']],
  ['"text"', '', null],
  ['{"a":', '', null],
  ['<p>', '', null],
])('%s about %j', (text, about, lines) => {
  const shown = jsonLines(text, about)?.map(({ text, isMarked }) => (isMarked ? `>${text}` : text)) ?? null
  expect(shown).toEqual(lines)
})
