import { expect, test } from 'vitest'
import { exchangeWith } from '../harness/testing/exchange.ts'
import { referenceTarget } from '../proof/instance.ts'
import { createTrafficSecrets } from './secrets.ts'

const exchange = (name: string, value: string, url = 'https://example.com/') =>
  exchangeWith({ owner: 'traffic', key: null, request: { url, headers: [[name, value]] } })
const target = referenceTarget('http://127.0.0.1', 'real')
const { hidden, keyOf, redactor } = createTrafficSecrets(target)

test.each([
  ['Authorization', 'Bearer plumbline-example-full', /^Bearer «key\.full»$/],
  ['authorization', 'Bearer secret-number-one', /^Bearer «token\.\d+»$/],
  ['authorization', 'Bearer short', /^Bearer «\d+»$/],
  ['authorization', 'secret-number-two', /^«token\.\d+»$/],
  [
    'Proxy-Authorization',
    'Digest username="secret-number-three", response="secret-number-four"',
    /^Digest «token\.\d+» «token\.\d+»$/,
  ],
  ['Cookie', 'a=secret-number-five; b=no', /^«token\.\d+»; «\d+»$/],
  ['Set-Cookie', 'a=secret-number-six; Max-Age=31536000', /^«token\.\d+»$/],
  ['X-Api-Key', 'secret-number-seven', /^«token\.\d+»$/],
  ['Accept', 'text/plain', /^text\/plain$/],
])('%s: %s', (name, value, shown) => expect(hidden(exchange(name, value)).request.headers[0]?.[1]).toMatch(shown))

test('an address has neither a password nor a key', () => {
  const { request } = hidden(
    exchange('Accept', '*/*', 'https://me:secret@example.com/a?x=1&api_key=number%20eight&token=x#y'),
  )
  expect(request.url).toMatch(/^https:\/\/example\.com\/a\?x=1&api_key=«token\.\d+»&token=«\d+»#y$/)
})

test('a body names its secrets, which are masked in all texts; words of the API are not secret', () => {
  const { hidden, redactor } = createTrafficSecrets(target)
  const body = {
    s3Config: { accessId: 'an-access-id', accessSecret: 'an-access-secret', bucketName: 'a-bucket' },
    list: [{ env: { API_KEY: 'a-key-of-a-pod', token: 'TERMINATED', tokens: 12345678 } }],
  }
  const made = exchange('Accept', '*/*')
  const text = JSON.stringify(body)
  hidden({ ...made, request: { ...made.request, body: Buffer.from(text) } })
  hidden({ ...made, response: { status: 200, headers: [], body: Buffer.from('{"sshKey":"key-of-a-response"}') } })
  expect(redactor.text(`${text} key-of-a-response`)).toMatch(
    /"«token\.\d+»","accessSecret":"«token\.\d+»","bucketName":"a-bucket".*"«token\.\d+»","token":"TERMINATED","tokens":12345678\}\}\]\} «token\.\d+»$/,
  )
})

test('what was seen once is hidden everywhere, and a token has one name', () => {
  expect(redactor.text('secret-number-five number eight 31536000')).toMatch(/^«token\.\d+» «token\.\d+» 31536000$/)
  expect(keyOf([['Authorization', 'Bearer plumbline-example-full']])).toBe('full')
  expect(keyOf([['Authorization', 'Bearer secret-number-one']])).toBe(
    keyOf([['authorization', 'bearer secret-number-one']]),
  )
  expect(keyOf([])).toBeNull()
  expect(keyOf([['Proxy-Authorization', 'Bearer secret-number-one']])).toBeNull()
})
