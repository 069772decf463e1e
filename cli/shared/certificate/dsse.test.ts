import { expect, test } from 'vitest'
import { envelopeText, preAuthEncoding, signatureIn } from './dsse.ts'

test.each([
  // The example of the DSSE specification.
  ['http://example.com/HelloWorld', 'hello world', 'DSSEv1 29 http://example.com/HelloWorld 11 hello world'],
  ['', '', 'DSSEv1 0  0 '],
  ['é', '漢', 'DSSEv1 2 é 3 漢'],
])('type %j and body %j are signed as %j', (type, body, expected) => {
  expect(Buffer.from(preAuthEncoding(type, Buffer.from(body))).toString()).toBe(expected)
})

const statement = Buffer.from('{"a": 1}\n')
const signature = { keyid: 'sha256:00', sig: Buffer.alloc(64, 7) }
const text = envelopeText(statement, signature)

test('an envelope has its signature', () => {
  expect(JSON.parse(text)).toEqual({
    payload: 'eyJhIjogMX0K',
    payloadType: 'application/vnd.in-toto+json',
    signatures: [{ keyid: 'sha256:00', sig: signature.sig.toString('base64') }],
  })
  expect(signatureIn(text, statement)).toEqual(signature)
})

test.each([
  ['no JSON', 'x', 'is not a DSSE envelope with a signature'],
  ['no signature', text.replace(/"signatures": \[[^\]]*\]/, '"signatures": []'), 'is not a DSSE envelope'],
  ['another type', text.replace('in-toto', 'other'), 'has a payload of another type'],
  ['another payload', text.replace('eyJh', 'eyJi'), 'signs another statement than statement.json'],
  ['unused bits of base64', text.replace('cHBw==', 'cHBx=='), 'was changed'],
  ['other white space', text.replace('\n', '\t'), 'was changed'],
  ['one more member', text.replace('{', '{"more": 1,'), 'was changed'],
])('an envelope with %s is refused', (_, changed, message) => {
  expect(changed).not.toBe(text)
  expect(signatureIn(changed, statement)).toContain(message)
})
