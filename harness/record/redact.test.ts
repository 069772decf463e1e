import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { referenceTarget } from '../../proof/instance.ts'
import { changes, encodings, someKey, waysIn, writers } from '../testing/encodings.ts'
import { describeTarget, keyRedactorOf, redactorOf } from './describe.ts'
import { createRedactor } from './redact.ts'

const key = 'sk-live/7Yq+Xw2"Vb'
const mark = '«key.full»'
const { text, bytes } = createRedactor({ 'key.full': key })
const masked = (body: string) => Buffer.from(bytes(Buffer.from(body))).toString()
const pairs = Object.entries(changes).flatMap(([change, changed]) =>
  Object.entries(encodings).map(([encoding, encode]) => [change, encoding, encode(changed(key))] as const),
)

test.each(pairs)('a key %s, in %s, is masked', (_, __, form) => {
  for (const [before, after] of [
    ['', ''],
    ['Bearer ', ' is unknown'],
    ['token=', '&x=1'],
  ] as const) {
    const clean = text(before + form + after)
    expect(clean).toContain(mark)
    expect(clean.startsWith(before) && clean.endsWith(after)).toBe(true)
    expect(waysIn(clean, key)).toEqual([])
    expect(text(clean)).toBe(clean)
  }
})

test('a masked body is the body of the masked texts, whatever key and encodings are drawn', () => {
  const names = fc.array(fc.constantFrom(...Object.keys(encodings)), { maxLength: 2 })
  const drawn = [someKey, fc.constantFrom(...Object.keys(changes)), names, fc.constantFrom(...writers)] as const
  fc.assert(
    fc.property(...drawn, (token, change, chain, write) => {
      const redactor = createRedactor({ 'key.full': token })
      const form = chain.reduce((shown, name) => encodings[name]?.(shown) ?? shown, changes[change]?.(token) ?? token)
      const body = write({ detail: `no key ${form} here` })
      const clean = Buffer.from(redactor.bytes(Buffer.from(body))).toString()
      expect(JSON.parse(clean)).toEqual({ detail: redactor.text(`no key ${form} here`) })
      expect(clean).toContain(mark)
      expect(waysIn(clean, token)).toEqual([])
    }),
    { numRuns: 300, seed: 1 },
  )
})

// In base64 of lines the last line of the first key has one digit. The second key takes the most decoding.
test.each(['jIH;%:[r:V+L{c/', "yIYX2/'nL@Ji(G.`gU,H\\ZCml?bFoVJ"])(
  'a body with %s in every form shows none',
  (token) => {
    const redactor = createRedactor({ 'key.full': token })
    const forms = Object.values(changes).flatMap((change) =>
      Object.values(encodings).map((encode) => encode(change(token))),
    )
    for (const write of writers) {
      for (const nth of [0, 1, 2, 3]) {
        const body = write({ echo: forms.filter((_, at) => at % 4 === nth) })
        const clean = Buffer.from(redactor.bytes(Buffer.from(body))).toString()
        expect(waysIn(clean, token)).toEqual([])
      }
    }
  },
)

test.each([
  ['sk-live/7Yq', 'sk-live/7Yq'],
  ['sk-live/7Yq+', mark],
  ['sk-live/7Yq+Xw****', `${mark}****`],
])('of a beginning, %s becomes %s: two thirds of the key, and at least 8 characters', (shown, clean) => {
  expect(text(shown)).toBe(clean)
})

test('a beginning that is in clear elsewhere is not masked, and one character more is', () => {
  const redactor = createRedactor({ 'key.full': 'plumbline-example-full' }, (shown) =>
    'plumbline-example-'.includes(shown),
  )
  expect(redactor.text('keys begin with plumbline-example-')).toBe('keys begin with plumbline-example-')
  expect(redactor.text('plumbline-example-f')).toBe(mark)
})

describe('a body that is', () => {
  test.each([
    ['no JSON because of a key is none afterwards', `{"detail":"${key}"}`, false],
    ['JSON is JSON if its key begins in an escape', '{"detail":"\\u0073k-live\\/7Yq\\u002bXw2\\"Vb\\""}', true],
  ])('%s', (_, body, isJson) => {
    const clean = masked(body)
    expect(clean).toContain(mark)
    const parse = () => JSON.parse(clean)
    if (isJson) expect(parse()).toEqual({ detail: `${mark}"` })
    else expect(parse).toThrow()
  })

  test('JSON keeps its numbers if a key has digits only', () => {
    const digits = createRedactor({ 'key.full': '12345678' })
    const clean = Buffer.from(digits.bytes(Buffer.from('{"at":1234567890123,"key":"12345678"}'))).toString()
    expect(JSON.parse(clean)).toEqual({ at: 1234567890123, key: mark })
  })

  test.each([
    ['as one', Buffer.from(key), { type: 'Buffer', data: [mark] }],
    ['among others', { bytes: [1, ...Buffer.from(`a${key}b`), 2], n: 12 }, { bytes: [1, 97, mark, 98, 2], n: 12 }],
  ])('JSON stays JSON if it lists the bytes of a key %s', (_, value, clean) => {
    expect(JSON.parse(masked(JSON.stringify(value)))).toEqual(clean)
    expect(JSON.parse(masked(JSON.stringify(value, null, 6)))).toEqual(clean)
  })

  test('no UTF-8 keeps its other bytes', () => {
    const clean = bytes(Buffer.concat([Buffer.from([0xff]), Buffer.from(key), Buffer.from([0xfe])]))
    expect(Buffer.from(clean)).toEqual(Buffer.concat([Buffer.from([0xff]), Buffer.from(mark), Buffer.from([0xfe])]))
  })

  test('one long list of bytes is searched', () => {
    expect(masked(`${'00 '.repeat(3_000_000)}${Buffer.from(key).toString('hex').replace(/../g, '$& ')}`)).toContain(
      mark,
    )
  })

  test('one long run of digits is searched', () => {
    const filler = 'x'.repeat(10_000_000)
    expect(masked(filler)).toBe(filler)
    expect(masked(`${filler}${Buffer.from(`:${key}`).toString('base64')}`)).toContain(mark)
  })
})

test.each([
  ['in base64', (shown: string) => Buffer.from(JSON.stringify({ echo: Buffer.from(shown).toString('base64') }))],
  ['among bytes that are not UTF-8', (shown: string) => Buffer.concat([Buffer.from([0xff]), Buffer.from(shown)])],
])('a key %s is found in the run and in its replay', (_, bodyWith) => {
  const target = referenceTarget('http://127.0.0.1:1', 'control')
  const body = new Uint8Array(bodyWith(target.keys.full ?? ''))
  const recorded = new Uint8Array(redactorOf(target).bytes(body))
  expect(keyRedactorOf(target).bytes(body)).not.toBe(body)
  expect(keyRedactorOf(describeTarget(target)).bytes(recorded)).not.toBe(recorded)
  const without = new Uint8Array(bodyWith('a text without a key'))
  expect(keyRedactorOf(target).bytes(without)).toBe(without)
})

test('a secret beyond ASCII is masked as text and as bytes', () => {
  const redactor = createRedactor({ 'hook.ERROR': 'pässwörter😀' })
  for (const form of ['pässwörter😀', encodeURIComponent('pässwörter😀'), 'p\\u00e4ssw\\u00f6rter\\ud83d\\ude00']) {
    expect(redactor.text(`of ${form}.`)).toBe('of «hook.ERROR».')
  }
})
