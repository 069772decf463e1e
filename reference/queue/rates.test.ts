import { expect, test } from 'vitest'
import { tables } from '../../generated/tables.ts'
import { limiterKindNames } from '../limits/windows.ts'
import { createQueueBench } from '../testing/queue-bench.ts'

const sent = { body: { input: {}, policy: { lowPriority: true } } }
const small = { requests: 3, concurrent: null }

test.each([
  ['POST', 'run', tables.rates.run.requests],
  ['GET', 'status/unknown', tables.rates.status.requests],
  ['POST', 'cancel/unknown', tables.rates.cancel.requests],
  ['POST', 'purge-queue', tables.rates.purge.requests],
  ['GET', 'requests', tables.rates.requests.requests],
] as const)('%s /%s: %i are served in a window, and the next is 429', async (method, path, requests) => {
  const { operate, pass } = createQueueBench()
  const more = method === 'POST' ? sent : {}
  await pass(5000)
  for (let n = 0; n < requests; n++) expect((await operate(method, path, more)).status).not.toBe(429)
  const refused = await operate(method, path, more)
  expect(refused).toMatchObject({ status: 429, body: { error: expect.stringContaining('rate limit') } })
  expect(refused.headers.get('retry-after')).toBe('10')
  expect(await operate('GET', 'health')).toMatchObject({ status: 200 })
  expect((await operate(method, path, more, 'second')).status).not.toBe(429)
  await pass(10_000)
  expect((await operate(method, path, more)).status).not.toBe(429)
})

test('an operation at its limit leaves the others alone, and a refused submission queues nothing', async () => {
  const { operate } = createQueueBench({
    endpoints: [
      { id: 'dedicated', workersMin: 0, workersMax: 0, coldStartMs: 0, idleTimeoutMs: 0, rates: { run: small } },
    ],
  })
  for (let n = 0; n < 5; n++) await operate('POST', 'run', sent)
  expect(await operate('GET', 'health')).toMatchObject({ body: { jobs: { inQueue: 3 } } })
  expect(await operate('POST', 'runsync?wait=1000', { body: {} })).toMatchObject({ status: 400 })
})

test('held requests count as at once, until they are answered', async () => {
  const { operate, pass, rest } = createQueueBench()
  const asked = Array.from({ length: 401 }, () => operate('POST', 'runsync?wait=1000', sent, 'scale-to-zero'))
  expect(await asked.at(-1)).toMatchObject({ status: 429 })
  await pass(1000)
  expect((await Promise.all(asked)).filter(({ status }) => status === 200)).toHaveLength(400)
  const again = operate('POST', 'runsync?wait=1000', sent, 'scale-to-zero')
  await rest()
  await pass(1000)
  expect(await again).toMatchObject({ status: 200 })
})

test('the limit is the higher of the base and what ready workers allow', async () => {
  for (const [perWorkerRate, served] of [
    [1, 3],
    [2, 4],
    [5, 10],
  ] as const) {
    const { operate } = createQueueBench({
      queue: { perWorkerRate },
      endpoints: [
        { id: 'dedicated', workersMin: 2, workersMax: 2, coldStartMs: 0, idleTimeoutMs: 0, rates: { requests: small } },
      ],
    })
    const statuses: number[] = []
    for (let n = 0; n < 12; n++) statuses.push((await operate('GET', 'requests')).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(served)
  }
})

test.each(limiterKindNames)('the limiter %s, with shorter windows and without Retry-After', async (limiter) => {
  const { operate, pass } = createQueueBench({
    queue: { limiter, windowScale: 0.1 },
    style: { queueRetryAfter: false },
  })
  for (let n = 0; n < 2; n++) expect(await operate('POST', 'purge-queue')).toMatchObject({ status: 200 })
  const refused = await operate('POST', 'purge-queue')
  expect(refused).toMatchObject({ status: 429 })
  expect(refused.headers.has('retry-after')).toBe(false)
  await pass(2000)
  expect(await operate('POST', 'purge-queue')).toMatchObject({ status: 200 })
})
