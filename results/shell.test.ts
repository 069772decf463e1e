import { describe, expect, it } from 'vitest'
import { nearKeys } from '../harness/common/mutate.ts'
import { comment, printfFormat, secretVariable, word } from './shell.ts'
import { sampleExchange } from './testing/sample.ts'
import { bash, header, linesOf, rule, serve } from './testing/shell.ts'

describe('a shell word', () => {
  it.each([
    ['https://api.test/v2/pods', 'https://api.test/v2/pods'],
    ['', "''"],
    ['{"a":1}', `'{"a":1}'`],
    ['«a»', '"$a"'],
    ['«BASE»/v2', '"$BASE/v2"'],
    ['«a»x', `"$${'{a}'}x"`],
    ['Bearer «key.full»', '"Bearer $KEY_FULL"'],
    ['{"id":"«POD_1»"}', `'{"id":"'"$POD_1"'"}'`],
  ])('%s', (text, expected) => {
    expect(word(text)).toBe(expected)
  })
})

it.each([
  ['key.full', { 'key.full': 'API_KEY' }, 'API_KEY'],
  ['key.full', { 'key.full': 'api_key' }, 'api_key'],
  ['key.full', {}, 'KEY_FULL'],
  ['key.full', { 'key.full': 'BASE' }, 'KEY_FULL'],
  ['key.full', { 'key.full': 'POD_1' }, 'KEY_FULL'],
  ['key.full', { 'key.full': 'a b;' }, 'KEY_FULL'],
  ['key.altered', { 'key.full': 'API_KEY' }, 'KEY_ALTERED'],
])('the variable of %s with %j is %s', (name, variables, expected) => {
  expect(secretVariable(name, variables)).toBe(expected)
})

it('a comment is one short line', () => {
  expect(comment('a\nb\u2028c\u001b[31m')).toBe('# a b c [31m')
  expect(comment('x'.repeat(400))).toHaveLength(302)
})

it('printf writes every byte', () => {
  expect(printfFormat(Buffer.from(`a%\\'\xff\n`, 'latin1'))).toBe(String.raw`'a\x25\x5c\x27\xff\x0a'`)
})

it.each(
  Object.entries(nearKeys).flatMap(([name, change]) =>
    ['Secret-Ab9z', 'topSecretABCD=='].map((full) => [name, full, change(full)] as const),
  ),
)('the key %s is made of the full one, %s', async (name, full, made) => {
  const { base, log } = await serve(() => ({ status: 401 }))
  const headers = [['Authorization', `Bearer «key.${name}»`]] as const
  await bash(await linesOf(base, [sampleExchange(1, rule, { base, headers })]), { KEY_FULL: full })
  expect(log[0] === undefined ? null : header(log[0], 'Authorization')).toBe(`Bearer ${made}`)
})
