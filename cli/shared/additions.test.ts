import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { addition, addTo } from './additions.ts'

const volume = 'pods: {volume: VOLUME_ID}'
const persistent = 'pods: {gpu: {id: GPU_TYPE_ID}, persistent: {size: 10, path: /workspace}}'

test.each<[what: string, file: unknown, line: string, said: string]>([
  ['a section that is not there', {}, 'receiver: {listen: 0.0.0.0:1}', 'add: receiver: {listen: 0.0.0.0:1}'],
  ['one that needs an address', {}, volume, 'add: pods: {url: https://HOST, volume: VOLUME_ID}'],
  [
    'one that needs more',
    {},
    'queue: {endpoints: {second: ENDPOINT_ID}}',
    'add: queue: {url: https://HOST, endpoints: {normal: ENDPOINT_ID, second: ENDPOINT_ID}}',
  ],
  [
    'the short form',
    { pods: 'https://a.test' },
    volume,
    'write instead of pods: https://a.test this: pods: {url: https://a.test, volume: VOLUME_ID}',
  ],
  [
    'a short form that is a variable',
    { pods: `\${PODS}` },
    volume,
    `write instead of pods: "\${PODS}" this: pods: {url: "\${PODS}", volume: VOLUME_ID}`,
  ],
  [
    'a mapping that denies one part and lacks another',
    { queue: { worker: false } },
    'queue: {worker: true, requests: true}',
    'write below queue: worker: true, instead of false; add below queue: requests: true',
  ],
  ['a mapping', { pods: { url: 'https://a.test' } }, volume, 'add below pods: volume: VOLUME_ID'],
  [
    'a mapping that has a part of it',
    { pods: { url: 'https://a.test', gpu: { id: 'a' } } },
    persistent,
    'add below pods: persistent: {size: 10, path: /workspace}',
  ],
  [
    'a mapping in a mapping',
    { queue: { endpoints: { normal: 'a' } } },
    'queue: {endpoints: {second: ENDPOINT_ID}}',
    'add below queue.endpoints: second: ENDPOINT_ID',
  ],
  [
    'a mapping that denies it',
    { queue: { url: 'https://a.test', stream: false } },
    'queue: {stream: true}',
    'write below queue: stream: true, instead of false',
  ],
  [
    'a mapping with a shorter list',
    { keys: { restricted: { key: 'k', mayNot: ['stop'] } } },
    'keys: {restricted: {key: KEY, mayNot: [queue]}}',
    'write below keys.restricted: mayNot: [stop, queue]',
  ],
  [
    'another need that is absent',
    { absent: { volume: 'none' } },
    'absent: {pods.gpu: REASON}',
    'add below absent: pods.gpu: REASON',
  ],
])('%s', (_, file, line, said) => {
  expect(addition(file, line)).toBe(said)
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

test('nothing is added below an alias', () => {
  const document = parseDocument('a: &a {url: x}\npods: *a\n')
  expect(() => addTo(document, volume)).toThrow('pods is an alias, so nothing is added below it; write its value out')
})
