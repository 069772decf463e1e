import { expect, test } from 'vitest'
import type { Style } from '../style.ts'
import { createQueueBench, type Steps } from '../testing/queue-bench.ts'

const DAY_MS = 86_400_000
const hold: Steps = [{ hold: 'go' }]

test.each<[string, Steps, string]>([
  ['waiting', [], 'IN_QUEUE'],
  ['running', hold, 'IN_PROGRESS'],
  ['finished', [{ output: 1 }], 'COMPLETED'],
  ['failed', [{ fail: 'no' }], 'FAILED'],
])('a %s job is there just before its ttl and 404 from then on', async (name, steps, status) => {
  const { operate, pass, receiver, submit } = createQueueBench()
  if (name === 'waiting') for (let n = 0; n < 2; n++) await submit(hold)
  const job = await submit(steps, { policy: { ttl: 10_000 } })
  await pass(9999)
  expect(await job.status()).toMatchObject({ status })
  await pass(1)
  expect(await operate('GET', `status/${job.id}`)).toMatchObject({ status: 404, body: { error: expect.any(String) } })
  for (const action of ['cancel', 'retry']) expect(await job.act(action)).toMatchObject({ status: 404 })
  expect(await operate('GET', `stream/${job.id}`)).toMatchObject({ status: 404 })
  receiver.release(`${job.beacon}/hold/go`)
  await pass(1000)
  expect(job.starts()).toHaveLength(name === 'waiting' ? 0 : 1)
  expect(await operate('GET', `status/${job.id}`)).toMatchObject({ status: 404 })
})

test('a job whose ttl is over is 404 also where an id that never was is 400', async () => {
  const { operate, pass, submit } = createQueueBench({ style: { jobUnknown: 400 } })
  const { id } = await submit(hold, { policy: { ttl: 10_000 } })
  await pass(10_000)
  expect(await operate('GET', `status/${id}`)).toMatchObject({ status: 404 })
  expect(await operate('GET', `status/${id}`, {}, 'second')).toMatchObject({ status: 400 })
})

test('the worker of a job whose ttl is over takes another, and a late result changes nothing', async () => {
  const { operate, pass, submit } = createQueueBench()
  const job = await submit([{ deaf: true }, { hold: 'go' }, { output: 'late' }], { policy: { ttl: 10_000 } }, 'second')
  const next = await submit([{ output: 'next' }], {}, 'second')
  await pass(9999)
  expect(next.starts()).toHaveLength(0)
  await pass(1)
  expect(await next.status()).toMatchObject({ status: 'COMPLETED', delayTime: 10_000 })
  await job.release('go')
  expect(await operate('GET', `status/${job.id}`, {}, 'second')).toMatchObject({ status: 404 })
  expect(await operate('GET', 'health', {}, 'second')).toMatchObject({
    body: { jobs: { completed: 1, inProgress: 0 } },
  })
})

test('ttl counts from the submission, and /retry starts it anew by style only', async () => {
  for (const [retryTtl, kept] of [
    ['kept', 404],
    ['anew', 200],
  ] as const) {
    const { operate, pass, submit } = createQueueBench({ style: { retryTtl } })
    const job = await submit([{ first: [{ fail: 'once' }] }, { hold: 'go' }], { policy: { ttl: 10_000 } })
    await pass(6000)
    await job.act('retry')
    await pass(4000)
    expect(await operate('GET', `status/${job.id}`)).toMatchObject({ status: kept })
    await pass(6000)
    expect(await operate('GET', `status/${job.id}`)).toMatchObject({ status: 404 })
  }
})

test.each<[object, number]>([
  [{}, DAY_MS],
  [{ ttl: 7 * DAY_MS }, 7 * DAY_MS],
])('the ttl of %o is %i ms', async (policy, ttlMs) => {
  const { operate, pass, submit } = createQueueBench()
  const job = await submit([], { policy: { lowPriority: true, ...policy } }, 'scale-to-zero')
  await pass(ttlMs - 1)
  expect(await job.status()).toMatchObject({ status: 'IN_QUEUE' })
  await pass(1)
  expect(await operate('GET', `status/${job.id}`, {}, 'scale-to-zero')).toMatchObject({ status: 404 })
})

test.each<[Partial<Style>, string]>([
  [{}, 'FAILED'],
  [{ timedOutStatus: 'TIMED_OUT' }, 'TIMED_OUT'],
])('an execution past its executionTimeout is stopped (%o): %s, and may be retried', async (style, status) => {
  const { operate, pass, submit } = createQueueBench({ style })
  const job = await submit([{ first: hold }, { output: 2 }], { policy: { executionTimeout: 5000 } }, 'second')
  const next = await submit(hold, {}, 'second')
  await pass(4999)
  expect(await job.status()).toMatchObject({ status: 'IN_PROGRESS' })
  await pass(1)
  expect(await job.status()).toMatchObject({ status, error: expect.stringContaining('5000'), executionTime: 5000 })
  expect(await next.status()).toMatchObject({ status: 'IN_PROGRESS' })
  await pass(594_000)
  expect(await next.status()).toMatchObject({ status: 'IN_PROGRESS' })
  expect(await operate('GET', 'health', {}, 'second')).toMatchObject({ body: { jobs: { failed: 1 } } })
  expect(await job.act('retry')).toMatchObject({ status: 200, body: { status: 'IN_QUEUE' } })
  await next.release('go')
  expect(await job.status()).toMatchObject({ status: 'COMPLETED', output: 2 })
})

test('waiting does not count for executionTimeout, and a job that ends just before it is COMPLETED', async () => {
  const { pass, submit } = createQueueBench()
  const first = await submit(hold, {}, 'second')
  const job = await submit(hold, { policy: { executionTimeout: 5000 } }, 'second')
  await pass(20_000)
  expect(await job.status()).toMatchObject({ status: 'IN_QUEUE' })
  await first.release('go')
  await pass(4999)
  await job.release('go')
  expect(await job.status()).toMatchObject({ status: 'COMPLETED', delayTime: 20_000, executionTime: 4999 })
})

test.each([
  ['second', {}, 600_000],
  ['timeout', {}, 15_000],
  ['timeout', { executionTimeout: 20_000 }, 20_000],
  ['second', { executionTimeout: 7 * DAY_MS, ttl: 7 * DAY_MS }, 7 * DAY_MS - 1],
])('on %s with %o a job runs for %i ms and no longer', async (endpoint, policy, limitMs) => {
  const { operate, pass, submit } = createQueueBench()
  const job = await submit(hold, { policy }, endpoint)
  await pass(limitMs - 1)
  expect(await job.status()).toMatchObject({ status: 'IN_PROGRESS' })
  await pass(2)
  const { body, status } = await operate('GET', `status/${job.id}`, {}, endpoint)
  expect(status === 404 || body?.status === 'FAILED').toBe(true)
})

test.each([
  ['run', {}, 1_800_000],
  ['runsync', {}, 60_000],
  ['runsync', { runsyncRetention: 'longer' }, 300_000],
] as const)('the result of /%s (%o) is kept for %i ms after completion', async (operation, style, keptMs) => {
  const { operate, pass, rest } = createQueueBench({ style })
  const { body } = await operate('POST', operation, { body: { input: { a: 1 } } })
  await rest()
  await pass(keptMs - 1)
  expect(await operate('GET', `status/${body?.id}`)).toMatchObject({ status: 200, body: { output: { a: 1 } } })
  await pass(1)
  expect(await operate('GET', `status/${body?.id}`)).toMatchObject({ status: 404 })
})

test('where the sweep is lazy a job hides at once and stops with the next sweep', async () => {
  const { operate, pass, submit } = createQueueBench({ style: { ttlSweep: 'lazy' }, life: { sweepMs: 2000 } })
  await pass(500)
  const job = await submit(hold, { policy: { ttl: 10_000 } }, 'second')
  const waiting = await submit([], { policy: { ttl: 10_000 } }, 'second')
  const next = await submit([{ output: 1 }], {}, 'second')
  await pass(10_000)
  expect(await operate('GET', `status/${job.id}`, {}, 'second')).toMatchObject({ status: 404 })
  expect(await next.status()).toMatchObject({ status: 'IN_QUEUE' })
  await pass(1500)
  expect(await next.status()).toMatchObject({ status: 'COMPLETED' })
  expect(waiting.starts()).toHaveLength(0)
})

test('ends may be late, by no more than is allowed', async () => {
  const { operate, pass, submit } = createQueueBench({ life: { jobJitterMs: 300 } })
  const jobs: { id: string }[] = []
  for (let n = 0; n < 5; n++)
    jobs.push(await submit([], { policy: { ttl: 10_000, lowPriority: true } }, 'scale-to-zero'))
  const left = async () => {
    const answers = await Promise.all(jobs.map(({ id }) => operate('GET', `status/${id}`, {}, 'scale-to-zero')))
    return answers.filter(({ status }) => status === 200).length
  }
  await pass(9999)
  expect(await left()).toBe(5)
  await pass(150)
  expect([1, 2, 3, 4]).toContain(await left())
  await pass(151)
  expect(await left()).toBe(0)
})

test('handlers may begin late and results come late, and a job can be stopped in between', async () => {
  const { controlled, pass, submit } = createQueueBench({ life: { dispatchMs: 100, reportMs: 200 } })
  const jobs = [await submit([{ output: 1 }]), await submit([{ output: 2 }])]
  expect(await jobs[0]?.status()).toMatchObject({ status: 'IN_PROGRESS' })
  expect(controlled.state().busy).toEqual([])
  await jobs[1]?.act('cancel')
  await pass(100)
  expect(jobs.map((job) => job.ends().length)).toEqual([1, 0])
  expect(await jobs[0]?.status()).toMatchObject({ status: 'IN_PROGRESS' })
  await pass(200)
  expect(await jobs[0]?.status()).toMatchObject({ status: 'COMPLETED', executionTime: 300 })
  const job = await submit([])
  await pass(150)
  await job.act('cancel')
  await pass(1000)
  expect(await job.status()).toMatchObject({ status: 'CANCELLED' })
})
