import { expect, test } from 'vitest'
import { addition } from './additions.ts'

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
    'another need that is absent',
    { absent: { volume: 'none' } },
    'absent: {pods.gpu: REASON}',
    'add below absent: pods.gpu: REASON',
  ],
])('%s', (_, file, line, said) => {
  expect(addition(file, line)).toBe(said)
})
