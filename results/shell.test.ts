import { describe, expect, it } from 'vitest'
import { comment, printfFormat, withSecrets, word } from './shell.ts'

describe('a shell word', () => {
  it.each([
    [['https://api.test/v2/pods'], 'https://api.test/v2/pods'],
    [[''], "''"],
    [[], "''"],
    [['{"a":1}'], `'{"a":1}'`],
    [[{ variable: 'A' }], '"$A"'],
    [[{ variable: 'A' }, '/v2'], '"$A/v2"'],
    [[{ variable: 'A' }, 'x'], `"$${'{A}'}x"`],
    [['{"id":"', { variable: 'POD_1' }, '"}'], `'{"id":"'"$POD_1"'"}'`],
  ])('%j', (pieces, expected) => {
    expect(word(pieces)).toBe(expected)
  })

  it('holds secrets as variables', () => {
    expect(withSecrets('Bearer «key.full»!')).toEqual(['Bearer ', { variable: 'KEY_FULL' }, '!'])
  })
})

it('a comment is one short line', () => {
  expect(comment('a\nb\u2028c\u001b[31m')).toBe('# a b c [31m')
  expect(comment('x'.repeat(400))).toHaveLength(302)
})

it('printf writes every byte', () => {
  expect(printfFormat(Buffer.from(`a%\\'\xff\n`, 'latin1'))).toBe(String.raw`'a\x25\x5c\x27\xff\x0a'`)
})
