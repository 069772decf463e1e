import { options } from '../../harness/planes/queue/fixtures/jobs.ts'
import { anyOf, refusals } from '../shared/table.ts'
import { submitting } from './submitting.ts'

const { s3Config: bucket } = options.s3Config

const inPolicy = (member: string, value: unknown) => ({ policy: { [member]: value } })
const inBucket = (member: string, value: unknown) => ({ s3Config: { ...bucket, [member]: value } })

refusals('queue.body.webhook', submitting, [400], {
  number: { webhook: 1 },
  true: { webhook: true },
  list: { webhook: ['https://receiver.test/job'] },
  object: { webhook: { url: 'https://receiver.test/job' } },
  'another value': anyOf({
    zero: { webhook: 0 },
    false: { webhook: false },
    'empty list': { webhook: [] },
    'empty object': { webhook: {} },
  }),
})

refusals('queue.body.webhook-url', submitting, [400], {
  words: { webhook: 'not a URL' },
  path: { webhook: '/job' },
  'no scheme': { webhook: 'receiver.test/job' },
  'no host': { webhook: 'https://' },
  'another scheme': anyOf({
    ftp: { webhook: 'ftp://receiver.test/job' },
    ws: { webhook: 'ws://receiver.test/job' },
    file: { webhook: 'file:///job' },
    mailto: { webhook: 'mailto:job@receiver.test' },
    javascript: { webhook: 'javascript:void(0)' },
  }),
})

refusals('queue.body.policy-types', submitting, [400], {
  'policy as text': { policy: 'none' },
  'policy as a list': { policy: [{ lowPriority: true }] },
  'another policy': anyOf({
    number: { policy: 1 },
    false: { policy: false },
    'empty list': { policy: [] },
    'empty text': { policy: '' },
  }),
  'executionTimeout as text': inPolicy('executionTimeout', '60000'),
  'executionTimeout as a fraction': inPolicy('executionTimeout', 60_000.5),
  'another executionTimeout': anyOf({
    true: inPolicy('executionTimeout', true),
    list: inPolicy('executionTimeout', [60_000]),
    object: inPolicy('executionTimeout', {}),
    duration: inPolicy('executionTimeout', '60s'),
  }),
  'ttl as text': inPolicy('ttl', '60000'),
  'ttl as a fraction': inPolicy('ttl', 60_000.5),
  'another ttl': anyOf({
    true: inPolicy('ttl', true),
    list: inPolicy('ttl', [60_000]),
    object: inPolicy('ttl', {}),
    duration: inPolicy('ttl', '60s'),
  }),
  'lowPriority as text': inPolicy('lowPriority', 'true'),
  'lowPriority as a number': inPolicy('lowPriority', 1),
  'another lowPriority': anyOf({
    zero: inPolicy('lowPriority', 0),
    'empty text': inPolicy('lowPriority', ''),
    list: inPolicy('lowPriority', [true]),
    object: inPolicy('lowPriority', {}),
  }),
})

refusals('queue.body.s3config', submitting, [400], {
  's3Config as text': { s3Config: 'https://s3.test' },
  's3Config as a list': { s3Config: [bucket] },
  'another s3Config': anyOf({ number: { s3Config: 1 }, true: { s3Config: true }, 'empty list': { s3Config: [] } }),
  ...Object.fromEntries(
    ['accessId', 'accessSecret', 'bucketName', 'endpointUrl'].map((member) => [
      member,
      anyOf({
        number: inBucket(member, 1),
        true: inBucket(member, true),
        list: inBucket(member, ['plumbline']),
        object: inBucket(member, {}),
      }),
    ]),
  ),
})
