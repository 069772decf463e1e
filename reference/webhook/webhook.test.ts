import { expect, test } from 'vitest'
import type { Style } from '../style.ts'
import { createQueueBench } from '../testing/queue-bench.ts'
import type { Answering } from '../testing/receiver.ts'

const path = '/hook'
const webhook = `https://receiver.test${path}`

test('a job that completes is notified once, when it is done, with its status, input and the address', async () => {
  const { operate, pass, receiver, submit } = createQueueBench()
  const job = await submit([{ hold: 'go' }, { output: 7 }], { webhook })
  await pass(3000)
  expect(receiver.at(path)).toHaveLength(0)
  await job.release('go')
  await pass(100_000)
  const [arrival, ...others] = receiver.at(path)
  expect(others).toEqual([])
  expect(arrival).toMatchObject({ method: 'POST', call: 'c1.1' })
  expect(arrival?.headers.get('content-type')).toBe('application/json')
  expect(arrival?.headers.has('authorization')).toBe(false)
  expect(arrival?.body).toEqual({
    ...(await operate('GET', `status/${job.id}`)).body,
    input: { plumbline: expect.anything() },
    webhook,
  })
})

test('jobs of /runsync are notified too', async () => {
  const { operate, receiver, rest } = createQueueBench()
  await operate('POST', 'runsync', { body: { input: { a: 1 }, webhook } })
  await rest()
  expect(receiver.at(path)).toMatchObject([{ body: { status: 'COMPLETED', output: { a: 1 }, input: { a: 1 } } }])
})

test.each<[Partial<Style>, number]>([
  [{}, 1],
  [{ timedOutStatus: 'TIMED_OUT' }, 1],
  [{ webhookOnFailure: 'no' }, 0],
])(
  'jobs that fail or time out, in style %o, are notified %i times, cancelled and purged ones never',
  async (style, times) => {
    const { operate, pass, receiver, submit } = createQueueBench({ style })
    const to = (name: string) => ({ webhook: `https://receiver.test/${name}` })
    await submit([{ fail: 'no' }], to('failed'))
    await submit([{ hold: 'go' }], { ...to('late'), policy: { executionTimeout: 5000 } })
    const cancelled = await submit([{ hold: 'go' }], to('cancelled'))
    await submit([], to('purged'))
    await operate('POST', 'purge-queue')
    await cancelled.act('cancel')
    await pass(60_000)
    for (const name of ['failed', 'late']) expect(receiver.at(`/${name}`)).toHaveLength(times)
    for (const name of ['cancelled', 'purged']) expect(receiver.at(`/${name}`)).toHaveLength(0)
  },
)

test.each<[Answering[], number[]]>([
  [[500], [0, 10]],
  [
    [500, 500],
    [0, 10, 20],
  ],
  [
    [500, 500, 500, 500],
    [0, 10, 20],
  ],
  [
    [404, 429, 503],
    [0, 10, 20],
  ],
  [
    [201, 204, 302],
    [0, 10, 20],
  ],
  [
    ['refused', 'refused', 200],
    [0, 10, 20],
  ],
  [
    ['never', 'never', 'never'],
    [0, 30, 60],
  ],
  [
    ['never', 500, 500],
    [0, 30, 40],
  ],
])('a receiver that answers %j is asked at %j seconds', async (answers, seconds) => {
  const { controlled, operate, pass, receiver, submit } = createQueueBench()
  receiver.answer(path, ...answers)
  const startMs = controlled.clock.now()
  const job = await submit([{ output: 1 }], { webhook })
  await pass(200_000)
  const arrivals = receiver.at(path)
  expect(arrivals.map(({ atMs }) => (atMs - startMs) / 1000)).toEqual(seconds)
  expect(new Set(arrivals.map(({ call }) => call)).size).toBe(seconds.length)
  for (const { body } of arrivals) expect(body).toEqual(arrivals[0]?.body)
  expect(await job.status()).toMatchObject({ status: 'COMPLETED', output: 1 })
  expect(controlled.state().busy).toEqual([])
  expect(await operate('GET', 'health')).toMatchObject({ body: { jobs: { completed: 1, failed: 0 } } })
})

test('the time between attempts may count from the answer, and limits and delays can be set', async () => {
  const { controlled, pass, receiver, submit } = createQueueBench({
    style: { webhookSpacing: 'answer' },
    life: { webhookLimitMs: 4000, webhookDelayMs: 500 },
  })
  receiver.answer(path, 'never', 500, 'never')
  const startMs = controlled.clock.now()
  await submit([], { webhook })
  await pass(100_000)
  expect(receiver.at(path).map(({ atMs }) => atMs - startMs)).toEqual([500, 14_500, 24_500])
})

test('an attempt that is held is busy until it is answered, and nobody else waits for it', async () => {
  const { controlled, pass, receiver, submit } = createQueueBench()
  receiver.answer(path, 'never')
  await submit([], { webhook })
  expect(controlled.state().busy).toEqual(['c1.1'])
  const other = await submit([{ output: 2 }], { webhook: 'https://receiver.test/other' })
  expect(receiver.at('/other')).toHaveLength(1)
  expect(await other.status()).toMatchObject({ status: 'COMPLETED' })
  await pass(20_000)
  receiver.release(path)
  await pass(60_000)
  expect(receiver.at(path)).toHaveLength(1)
})

test('a notification outlives its job', async () => {
  const { operate, pass, receiver, submit } = createQueueBench()
  receiver.answer(path, 500, 500)
  const job = await submit([{ hold: 'go' }], { webhook, policy: { ttl: 10_000 } })
  await pass(9000)
  await job.release('go')
  await pass(1000)
  expect(await operate('GET', `status/${job.id}`)).toMatchObject({ status: 404 })
  await pass(30_000)
  expect(receiver.at(path)).toHaveLength(3)
})

test('without a way out attempts fail and are given up', async () => {
  const { call, controlled, pass } = createQueueBench({ call: () => Promise.reject(new TypeError('no way')) })
  await call('POST', '/v2/dedicated/run', { body: { input: {}, webhook, policy: { ttl: 10_000 } } })
  await pass(60_000)
  expect(controlled.state()).toMatchObject({ nextMs: null, busy: [] })
})
