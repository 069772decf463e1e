import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { addTo, documentOf, lacks } from './additions.ts'

const volume = 'pods: {volume: VOLUME_ID}'

test.each<[what: string, file: unknown, line: string, lacking: boolean]>([
  ['a section that is not there', {}, 'receiver: {listen: 0.0.0.0:1}', true],
  ['the short form', { pods: 'https://a.test' }, volume, true],
  ['a mapping with it', { pods: { volume: 'mine' } }, volume, false],
  ['a mapping without it', { pods: { url: 'https://a.test' } }, volume, true],
  ['a mapping that denies it', { queue: { worker: false } }, 'queue: {worker: true}', true],
  ['a shorter list', { absent: { stop: ['a'] } }, 'absent: {stop: [b]}', true],
  ['a longer list', { absent: { stop: ['a', 'b'] } }, 'absent: {stop: [b]}', false],
])('lacks: %s', (_, file, line, lacking) => {
  expect(lacks(file, line)).toBe(lacking)
})

test.each<[what: string, file: string, line: string, then: string]>([
  [
    'a new section',
    'plumbline: 1\n',
    'openapi: {url: https://a.test}',
    'plumbline: 1\nopenapi:\n  url: https://a.test\n',
  ],
  [
    'the short form',
    'pods: https://a.test # ours\n',
    volume,
    'pods:\n  url: https://a.test # ours\n  volume: VOLUME_ID\n',
  ],
  ['a value that is there', 'pods: {volume: mine}\n', volume, 'pods: { volume: mine }\n'],
  ['one that denies it', 'queue: {worker: false} # no\n', 'queue: {worker: true}', 'queue: { worker: true } # no\n'],
])('added to a file: %s', (_, file, line, then) => {
  const document = parseDocument(file)
  addTo(document, line)
  expect(document.toString({ lineWidth: 0 })).toBe(then)
})

test('the comments of init stay where they are, except the note of what is added', () => {
  const file = `# ours

plumbline: 1
keys:
  full: key
  # second: KEY # another key: SECOND_API_KEY is not set
  # expired: KEY # a key: EXPIRED_API_KEY is not set
  # second: remark of our own

# queue: {url: https://HOST} # endpoints: not given
# openapi: {url: https://HOST} # a document: not given
`
  const document = documentOf(file)
  addTo(document, 'keys: {second: other}')
  addTo(document, 'openapi: https://a.test')
  expect(document.toString({ lineWidth: 0 })).toBe(
    file
      .replace(
        '  full: key\n  # second: KEY # another key: SECOND_API_KEY is not set\n',
        '  full: key\n  second: other\n',
      )
      .replace('\n# queue', 'openapi: https://a.test\n\n# queue')
      .replace('# openapi: {url: https://HOST} # a document: not given\n', ''),
  )
})

test.each(['plumbline: 1\npods: x', 'pods:\n  url: x\n  # last\n'])('a file is written as it was: %j', (file) => {
  expect(documentOf(file).toString({ lineWidth: 0 }).trim()).toBe(file.trim())
})

test('nothing is added below an alias', () => {
  const document = parseDocument('a: &a {url: x}\npods: *a\n')
  expect(() => addTo(document, volume)).toThrow('pods is an alias, so nothing is added below it; write its value out')
})
