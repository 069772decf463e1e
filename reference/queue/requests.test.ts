import { describe, expect, test } from 'vitest'
import { defaultKeys } from '../index.ts'
import type { Style } from '../style.ts'
import { createQueueBench } from '../testing/queue-bench.ts'

const operations = [
  ['POST', 'run'],
  ['POST', 'runsync'],
  ['GET', 'status/a'],
  ['GET', 'stream/a'],
  ['POST', 'cancel/a'],
  ['POST', 'retry/a'],
  ['POST', 'purge-queue'],
  ['GET', 'health'],
  ['GET', 'requests'],
  ['POST', 'openai/v1/models'],
] as const

const s3Config = { accessId: 'id', accessSecret: 'hush', bucketName: 'b', endpointUrl: 'https://s3.test' }

describe.each(operations)('%s /%s', (method, path) => {
  test.each([
    ['no key', { authorization: null }, 401],
    ['another scheme', { authorization: `Basic ${defaultKeys.full}` }, 401],
    ['a key never issued', { authorization: 'Bearer never-issued' }, 401],
    ['an expired key', { key: 'expired' }, 401],
    ['a key without the permission', { key: 'restricted' }, 403],
    ["another account's key", { key: 'stranger' }, 404],
  ] as const)('with %s', async (_name, sent, status) => {
    const { operate } = createQueueBench()
    const answer = await operate(method, path, { ...sent, ...(method === 'POST' ? { body: { input: {} } } : {}) })
    expect(answer).toMatchObject({ status, body: { error: expect.any(String) } })
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.has('ratelimit')).toBe(false)
    expect(await operate('GET', 'requests')).toMatchObject({ body: { requests: [] } })
  })

  test('on an unknown endpoint, and by another method', async () => {
    const { operate } = createQueueBench()
    expect(await operate(method, path, {}, 'unknown')).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    })
    const other = method === 'POST' ? 'GET' : 'POST'
    const refused = await operate(other, path)
    expect(refused).toMatchObject({ status: 405, body: { error: expect.any(String) } })
    expect(refused.headers.get('allow')).toBe(method === 'POST' ? 'POST' : 'HEAD, GET')
    expect(await createQueueBench({ style: { queueMethod: 404 } }).operate(other, path)).toMatchObject({ status: 404 })
  })
})

test.each(['', 'unknown', 'run/', 'run/a', 'status', 'status/', 'status/a/b', 'cancel', 'openai', 'openai/', 'Run'])(
  'no operation, told otherwise than an unknown endpoint: /%s',
  async (path) => {
    const { operate } = createQueueBench()
    for (const method of ['GET', 'POST']) {
      for (const endpoint of ['normal', 'unknown']) {
        const answer = await operate(method, path, {}, endpoint)
        expect(answer).toMatchObject({ status: 404, body: { status: 404, detail: 'no such route' } })
        expect(answer.headers.get('content-type')).toBe('application/problem+json')
      }
    }
  },
)

test.each([
  ['GET', 'status', 404],
  ['GET', 'stream', 404],
  ['POST', 'cancel', 404],
  ['POST', 'retry', 404],
] as const)('%s /%s of an unknown job, and of one of another endpoint', async (method, action, status) => {
  const { operate, submit } = createQueueBench()
  const { id } = await submit([{ fail: 'no' }], {}, 'second')
  for (const job of ['unknown', id]) {
    const answer = await operate(method, `${action}/${job}`)
    expect(answer).toMatchObject({ status, body: { error: expect.any(String) } })
  }
  const { operate: other } = createQueueBench({ style: { jobUnknown: 400 } })
  expect(await other(method, `${action}/unknown`)).toMatchObject({ status: 400 })
})

test('an endpoint of another account may be 403', async () => {
  const { operate } = createQueueBench({ style: { endpointHidden: 403 } })
  expect(await operate('GET', 'health', { key: 'stranger' })).toMatchObject({ status: 403 })
  expect(await operate('GET', 'health', { key: 'second' })).toMatchObject({ status: 200 })
})

test.each<[string, unknown]>([
  ['no body', undefined],
  ['no JSON', '{"input":'],
  ['a bare word', 'input'],
  ['no UTF-8', new Uint8Array([0x7b, 0xff])],
  ['an array', '[]'],
  ['null', 'null'],
  ['a megabyte', { input: { pad: 'x'.repeat(1_000_000) } }],
  ['a thousand levels', `{"input":{"a":${'['.repeat(1000)}${']'.repeat(1000)}}}`],
  ['no input', {}],
  ...[null, 'text', 1, true, []].map((input): [string, unknown] => [`the input ${JSON.stringify(input)}`, { input }]),
  ...[1, null, {}, 'nowhere', '/path', 'ftp://files.test/x', 'http://', 'https:receiver'].map(
    (webhook): [string, unknown] => [`the webhook ${JSON.stringify(webhook)}`, { input: {}, webhook }],
  ),
  ...[null, 1, 'low', []].map((policy): [string, unknown] => [`the policy ${policy}`, { input: {}, policy }]),
  ...[
    { executionTimeout: '5000' },
    { executionTimeout: 5000.5 },
    { executionTimeout: 4999 },
    { executionTimeout: 604_800_001 },
    { executionTimeout: 0 },
    { executionTimeout: -1 },
    { executionTimeout: null },
    { ttl: 9999 },
    { ttl: 604_800_001 },
    { ttl: '10000' },
    { ttl: 1e300 },
    { lowPriority: 'yes' },
    { lowPriority: 1 },
  ].map((policy): [string, unknown] => [`the policy ${JSON.stringify(policy)}`, { input: {}, policy }]),
  ...Object.keys(s3Config).map((name): [string, unknown] => [
    `s3Config.${name} 1`,
    { input: {}, s3Config: { [name]: 1 } },
  ]),
  ['s3Config null', { input: {}, s3Config: null }],
])('a submission with %s is 400 and queues nothing', async (_name, body) => {
  const { operate } = createQueueBench()
  for (const operation of ['run', 'runsync']) {
    const answer = await operate('POST', operation, { body })
    expect(answer).toMatchObject({ status: 400, body: { error: expect.any(String) } })
  }
  expect(await operate('GET', 'requests')).toMatchObject({ body: { requests: [] } })
})

test.each<[object]>([
  [{ input: {} }],
  [{ input: { input: {} } }],
  [{ input: {}, unknown: 1, policy: { unknown: 1 } }],
  [{ input: {}, policy: {} }],
  [{ input: {}, policy: { executionTimeout: 5000, ttl: 10_000, lowPriority: false } }],
  [{ input: {}, policy: { executionTimeout: 604_800_000, ttl: 604_800_000, lowPriority: true } }],
  [{ input: {}, webhook: 'https://receiver.test/a?b=c#d' }],
  [{ input: {}, webhook: 'http://127.0.0.1:8080' }],
  [{ input: {}, s3Config }],
])('the submission %j is accepted with 200', async (body) => {
  const { operate } = createQueueBench()
  const answer = await operate('POST', 'run', { body })
  expect(answer).toMatchObject({ status: 200 })
  expect(answer.body).toEqual({ id: expect.stringMatching(/^[A-Za-z0-9_-]+$/), status: 'IN_QUEUE' })
})

test('a policy outside its bounds may be brought to the nearest one', async () => {
  const { operate, pass, submit } = createQueueBench({ style: { policyRange: 'clamp' } })
  const short = await submit([{ hold: 'go' }], { policy: { executionTimeout: 0, ttl: 604_800_001 } })
  const brief = await submit([{ hold: 'go' }], { policy: { ttl: -5 } })
  await pass(4999)
  expect(await short.status()).toMatchObject({ status: 'IN_PROGRESS' })
  await pass(1)
  expect(await short.status()).toMatchObject({ status: 'FAILED' })
  await pass(5000)
  expect(await operate('GET', `status/${brief.id}`)).toMatchObject({ status: 404 })
  expect(await operate('POST', 'run', { body: { input: {}, policy: { ttl: 'long' } } })).toMatchObject({ status: 400 })
})

test.each([
  ['cancel/unknown', 404],
  ['retry/unknown', 404],
  ['purge-queue', 200],
] as const)('POST /%s takes no body, an empty one, or any', async (path, status) => {
  for (const body of [undefined, {}, '{', 'text']) {
    const { operate } = createQueueBench()
    const headers = { 'content-type': 'application/json' }
    expect(await operate('POST', path, { body, headers })).toMatchObject({ status })
  }
  const { operate } = createQueueBench()
  const typed = { headers: { 'content-type': 'application/json' } }
  expect(await operate('GET', 'health?x=1', typed)).toMatchObject({ status: 200 })
  expect(await operate('HEAD', 'health')).toMatchObject({ status: 200, text: '' })
})

test('the s3 secret reaches the worker and no response', async () => {
  const { operate, rest, submit } = createQueueBench()
  const reporting = await submit([{ report: ['s3Config'] }], { s3Config })
  expect(await reporting.status()).toMatchObject({ output: { s3Config } })
  const { body } = await operate('POST', 'run', { body: { input: {}, s3Config } })
  await rest()
  for (const path of [`status/${body?.id}`, `stream/${body?.id}`, 'requests']) {
    expect((await operate('GET', path)).text).not.toContain('hush')
  }
})

test.each<[Partial<Style>, object]>([
  [
    { jobIdForm: 'uuid' },
    { id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/) },
  ],
  [{ jobIdForm: 'suffixed' }, { id: expect.stringMatching(/^sync-[A-Z0-9]{12}_\d-e1$/) }],
  [{ extraFields: true }, { priority: 0 }],
  [{ nullOutput: 'shown' }, { output: null }],
  [{ json: 'indented' }, { status: 'COMPLETED' }],
])('a job in style %o', async (style, expected) => {
  const { operate, plan } = createQueueBench({ style })
  const { body } = await operate('POST', 'runsync', { body: plan([{ output: null }]).body })
  expect(body).toMatchObject({ status: 'COMPLETED', ...expected })
})

test('a job may show the least, times in seconds, members in another order, and no null', async () => {
  const steps = [{ hold: 'go' }, { output: null }]
  const least = createQueueBench({ style: { jobFields: 'least', nullOutput: 'left-out' } })
  const job = await least.submit(steps)
  await job.release('go')
  expect(await job.status()).toEqual({ id: job.id, status: 'COMPLETED' })
  const coarse = createQueueBench({ style: { jobTimes: 'seconds', memberOrder: 'reversed' } })
  const other = await coarse.submit(steps)
  await coarse.pass(2900)
  await other.release('go')
  const shown = await other.status()
  expect(shown).toMatchObject({ delayTime: 0, executionTime: 2000 })
  expect(Object.keys(shown ?? {}).at(-1)).toBe('id')
})

test('errors follow the style of texts and extra fields', async () => {
  const { operate } = createQueueBench({ style: { texts: 'other', extraFields: true } })
  expect((await operate('GET', 'health', {}, 'unknown')).body).toEqual({
    error: 'Not served, because: found not endpoint',
    code: 404,
  })
})

test('answers may come late, and count as open and as one of those at once meanwhile', async () => {
  const { controlled, operate, pass, rest } = createQueueBench({ life: { answerDelayMs: 100 } })
  const asked = Array.from({ length: 3 }, () => operate('GET', 'requests'))
  await rest()
  expect(controlled.state().open).toBe(3)
  await pass(100)
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 429])
})
