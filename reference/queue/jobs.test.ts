import { expect, test } from 'vitest'
import { createQueueBench } from '../testing/queue-bench.ts'

test('a job waits, runs and is done, and every member says so', async () => {
  const { operate, pass, submit } = createQueueBench()
  const held = [await submit([{ hold: 'go' }]), await submit([{ hold: 'go' }])]
  const job = await submit([{ hold: 'go' }, { output: { answer: 42 } }])
  expect(await job.status()).toEqual({ id: job.id, status: 'IN_QUEUE' })
  await pass(1500)
  await held[0]?.release('go')
  expect(await job.status()).toEqual({
    id: job.id,
    status: 'IN_PROGRESS',
    delayTime: 1500,
    workerId: expect.any(String),
  })
  await pass(700)
  await job.release('go')
  const done = {
    id: job.id,
    status: 'COMPLETED',
    delayTime: 1500,
    executionTime: 700,
    workerId: expect.any(String),
    output: { answer: 42 },
  }
  expect(await job.status()).toEqual(done)
  const [start] = job.starts()
  expect(start).toMatchObject({ body: { attempt: 1, execution: expect.any(String), worker: expect.any(String) } })
  expect(job.ends()).toMatchObject([{ call: start?.call, body: { ...pick(start?.body), outcome: 'completed' } }])
  expect(await operate('GET', 'health')).toMatchObject({
    status: 200,
    body: {
      jobs: { completed: 2, failed: 0, inProgress: 1, inQueue: 0, retried: 0 },
      workers: { idle: 1, initializing: 0, ready: 2, running: 1, throttled: 0, unhealthy: 0 },
    },
  })
  expect(await operate('GET', 'requests')).toMatchObject({
    body: { requests: [{ id: job.id, status: 'COMPLETED' }, {}, {}] },
  })
})

test('plain input is echoed as it was sent', async () => {
  const { operate, rest } = createQueueBench()
  for (const input of [{}, { a: [1.5, null, { b: 'ü😀' }] }, { input: {} }, { text: 'x'.repeat(100_000) }]) {
    const { body, status } = await operate('POST', 'run', { body: { input } })
    expect(status).toBe(200)
    await rest()
    expect(await operate('GET', `status/${body?.id}`)).toMatchObject({ body: { status: 'COMPLETED', output: input } })
  }
})

test('the ids of a hundred submissions differ, and every job ends with its own output', async () => {
  const { operate, rest } = createQueueBench()
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => operate('POST', 'run', { body: { input: { n } } })),
  )
  await rest()
  const ids = answers.map(({ body }) => body?.id)
  expect(new Set(ids).size).toBe(100)
  for (const [n, id] of ids.entries()) {
    expect(await operate('GET', `status/${id}`)).toMatchObject({ body: { status: 'COMPLETED', output: { n } } })
  }
})

test('a handler that fails ends its job with its message, and is not tried again', async () => {
  const { submit } = createQueueBench()
  const job = await submit([{ output: 'no' }, { fail: 'out of cheese' }])
  const status = await job.status()
  expect(status).toMatchObject({ status: 'FAILED', error: 'out of cheese' })
  expect(status).not.toHaveProperty('output')
  expect(job.ends()).toMatchObject([{ body: { outcome: 'failed', message: 'out of cheese' } }])
  expect(job.starts()).toHaveLength(1)
})

test('a job whose worker dies once is executed again in a new worker, and done', async () => {
  const { operate, pass, submit } = createQueueBench()
  const other = await submit([{ hold: 'go' }])
  const job = await submit([{ first: [{ exit: 1 }] }, { output: 'again' }])
  expect(await job.status()).toMatchObject({ status: 'IN_QUEUE' })
  expect(await operate('GET', 'health')).toMatchObject({ body: { workers: { initializing: 1, unhealthy: 1 } } })
  await pass(2000)
  expect(await job.status()).toMatchObject({ status: 'COMPLETED', output: 'again', retries: 1, delayTime: 2000 })
  const [first, second] = job.starts()
  expect(second?.call).not.toBe(first?.call)
  expect(second?.body?.execution).not.toBe(first?.body?.execution)
  expect(second?.body?.attempt).toBe(2)
  expect(job.ends()).toHaveLength(1)
  expect(other.starts()).toHaveLength(1)
  await pass(60_000)
  expect(await operate('GET', 'health')).toMatchObject({ body: { jobs: { retried: 1 }, workers: { unhealthy: 0 } } })
})

test('a job whose worker always dies ends FAILED after three executions', async () => {
  const { pass, submit } = createQueueBench()
  const job = await submit([{ exit: 1 }])
  await pass(10_000)
  expect(job.starts()).toHaveLength(3)
  expect(await job.status()).toMatchObject({ status: 'FAILED', error: expect.stringContaining('worker'), retries: 2 })
})

test('handler failures may be retried, and requeued jobs may go to the back', async () => {
  const { submit } = createQueueBench({ style: { handlerRetry: 'yes', requeuePlace: 'back' } })
  const job = await submit([{ first: [{ fail: 'once' }] }, { output: 1 }])
  expect(await job.status()).toMatchObject({ status: 'COMPLETED', output: 1 })
  const hopeless = await submit([{ fail: 'always' }])
  expect(hopeless.starts()).toHaveLength(3)
  expect(await hopeless.status()).toMatchObject({ status: 'FAILED', error: 'always' })
})

test.each([
  ['CANCELLED', 200],
  ['gone', 404],
] as const)('a waiting job that is cancelled is never executed and is then %s', async (cancelledJob, status) => {
  const { operate, pass, submit } = createQueueBench({ style: { cancelledJob } })
  const held = [await submit([{ hold: 'go' }]), await submit([{ hold: 'go' }])]
  const job = await submit([])
  const last = await submit([])
  expect(await job.act('cancel')).toMatchObject({ status: 200, body: { id: job.id, status: 'CANCELLED' } })
  await held[0]?.release('go')
  await pass(1000)
  expect(last.starts()).toHaveLength(1)
  expect(job.starts()).toHaveLength(0)
  expect(await operate('GET', `status/${job.id}`)).toMatchObject({ status })
})

test('a running job that is cancelled stops, and its worker takes another', async () => {
  const { controlled, operate, submit } = createQueueBench()
  const jobs = [await submit([{ hold: 'go' }]), await submit([{ hold: 'go' }])]
  const next = await submit([{ hold: 'go' }])
  expect(controlled.state().busy).toHaveLength(2)
  await jobs[0]?.act('cancel')
  expect(await next.status()).toMatchObject({ status: 'IN_PROGRESS' })
  expect(controlled.state().busy).toHaveLength(2)
  expect(jobs[0]?.ends()).toHaveLength(0)
  expect(await jobs[0]?.status()).toMatchObject({ status: 'CANCELLED' })
  expect(await operate('GET', 'health')).toMatchObject({ body: { jobs: { inProgress: 2, failed: 0 } } })
})

test('what a deaf worker reports late is refused', async () => {
  const { submit } = createQueueBench()
  const job = await submit([{ deaf: true }, { hold: 'go' }, { emit: 1 }, { output: 'late' }])
  await job.act('cancel')
  await job.release('go')
  expect(job.ends()).toHaveLength(1)
  expect(await job.status()).toEqual({
    id: job.id,
    status: 'CANCELLED',
    delayTime: 0,
    executionTime: 0,
    workerId: expect.any(String),
  })
})

test.each([
  [200, 200],
  [400, 400],
  [409, 409],
] as const)('cancelling a finished job answers %i and leaves it', async (cancelFinished, status) => {
  const { submit } = createQueueBench({ style: { cancelFinished } })
  const job = await submit([{ output: 1 }])
  expect(await job.act('cancel')).toMatchObject({ status })
  expect(await job.status()).toMatchObject({ status: 'COMPLETED', output: 1 })
})

test('a failed job is retried with its id and input, and counts its attempts on', async () => {
  const { receiver, submit } = createQueueBench()
  const job = await submit([{ hold: 'go' }, { first: [{ fail: 'once' }] }, { output: 'done' }])
  await job.release('go')
  expect(await job.status()).toMatchObject({ status: 'FAILED' })
  expect(await job.act('retry')).toMatchObject({ status: 200, body: { id: job.id, status: 'IN_QUEUE' } })
  const status = await job.status()
  expect(status).toMatchObject({ status: 'COMPLETED', output: 'done', retries: 1 })
  expect(status).not.toHaveProperty('error')
  expect(job.starts().map(({ body }) => body?.attempt)).toEqual([1, 2])
  expect(receiver.holding.size).toBe(0)
})

test.each([400, 409] as const)('only what failed or timed out is retried, the rest is %i', async (retryRefused) => {
  const { submit } = createQueueBench({ style: { retryRefused } })
  const running = [await submit([{ hold: 'go' }]), await submit([{ hold: 'go' }])]
  const waiting = await submit([])
  for (const job of [...running, waiting]) expect(await job.act('retry')).toMatchObject({ status: retryRefused })
  await running[0]?.release('go')
  expect(await running[0]?.act('retry')).toMatchObject({ status: retryRefused })
  await waiting.act('cancel')
  expect(await waiting.act('retry')).toMatchObject({ status: retryRefused })
  expect(waiting.starts()).toHaveLength(1)
})

test.each([
  ['gone', 404],
  ['CANCELLED', 200],
] as const)('a purge clears what waits and nothing else (%s)', async (purgedJob, status) => {
  const { operate, submit } = createQueueBench({ style: { purgedJob } })
  const running = [await submit([{ hold: 'go' }]), await submit([{ hold: 'go' }])]
  const waiting = [await submit([]), await submit([])]
  const elsewhere = [await submit([{ hold: 'go' }], {}, 'second'), await submit([], {}, 'second')]
  expect(await operate('POST', 'purge-queue')).toMatchObject({
    status: 200,
    body: { removed: 2, status: 'completed' },
  })
  for (const job of waiting) expect(await operate('GET', `status/${job.id}`)).toMatchObject({ status })
  for (const job of [...running, ...elsewhere]) await job.release('go')
  for (const job of waiting) expect(job.starts()).toHaveLength(0)
  for (const job of [...running, ...elsewhere]) expect(await job.status()).toMatchObject({ status: 'COMPLETED' })
  expect(await operate('GET', 'health')).toMatchObject({ body: { jobs: { inQueue: 0, completed: 2, failed: 0 } } })
})

function pick(body: Readonly<Record<string, unknown>> | undefined): object {
  return { execution: body?.execution, worker: body?.worker }
}
