import { describe, expect, it } from 'vitest'
import { comment, printfFormat, word } from './shell.ts'

describe('a shell word', () => {
  it.each([
    ['https://api.test/v2/pods', 'https://api.test/v2/pods'],
    ['', "''"],
    ['{"a":1}', `'{"a":1}'`],
    ['«a»', '"$A"'],
    ['«BASE»/v2', '"$BASE/v2"'],
    ['«a»x', `"$${'{A}'}x"`],
    ['Bearer «key.full»', '"Bearer $KEY_FULL"'],
    ['{"id":"«POD_1»"}', `'{"id":"'"$POD_1"'"}'`],
  ])('%s', (text, expected) => {
    expect(word(text)).toBe(expected)
  })
})

it('a comment is one short line', () => {
  expect(comment('a\nb\u2028c\u001b[31m')).toBe('# a b c [31m')
  expect(comment('x'.repeat(400))).toHaveLength(302)
})

it('printf writes every byte', () => {
  expect(printfFormat(Buffer.from(`a%\\'\xff\n`, 'latin1'))).toBe(String.raw`'a\x25\x5c\x27\xff\x0a'`)
})
