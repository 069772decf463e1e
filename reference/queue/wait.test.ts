import { expect, test } from 'vitest'
import { defaultEndpoints, defaultKeys } from '../index.ts'
import type { Style } from '../style.ts'
import { createQueueBench, type Steps } from '../testing/queue-bench.ts'

const hold: Steps = [{ hold: 'go' }, { output: 'done' }]

test.each<[path: string, endpoint: string, waitMs: number, waitRange?: Style['waitRange']]>([
  ['runsync', 'dedicated', 59_500],
  ['runsync', 'timeout', 14_500],
  ['runsync?wait=1000', 'dedicated', 1000],
  ['runsync?wait=300000', 'dedicated', 300_000],
  ['runsync?wait=5', 'dedicated', 1000, 'clamp'],
  ['runsync?wait=999999999', 'dedicated', 300_000, 'clamp'],
])(
  '/%s on %s answers with the id after %i ms, and the job goes on',
  async (path, endpoint, waitMs, waitRange = 400) => {
    const { controlled, operate, pass, plan, receiver, rest } = createQueueBench({ style: { waitRange } })
    const { beacon, body } = plan(hold)
    let answered = 0
    const asked = operate('POST', path, { body }, endpoint).finally(() => answered++)
    await pass(waitMs - 1)
    expect(answered).toBe(0)
    expect(controlled.state().open).toBe(1)
    await pass(1)
    expect(answered).toBe(1)
    const answer = await asked
    expect(answer).toMatchObject({ status: 200, body: { id: expect.any(String), status: 'IN_PROGRESS' } })
    receiver.release(`${beacon}/hold/go`)
    await rest()
    expect(await operate('GET', `status/${answer.body?.id}`, {}, endpoint)).toMatchObject({
      body: { status: 'COMPLETED', output: 'done' },
    })
  },
)

test('/runsync answers when its job is done, with its output, and /status finds it', async () => {
  const { operate, pass, plan, receiver } = createQueueBench()
  const { beacon, body } = plan(hold)
  const asked = operate('POST', 'runsync', { body })
  await pass(2000)
  receiver.release(`${beacon}/hold/go`)
  const { body: job, status } = await asked
  expect(status).toBe(200)
  expect(job).toMatchObject({ id: expect.any(String), status: 'COMPLETED', output: 'done', executionTime: 2000 })
  expect(await operate('GET', `status/${job?.id}`)).toMatchObject({ status: 200, body: { ...job } })
})

test.each([200, 500] as const)('/runsync of a job that fails is %i with its error', async (runsyncFailed) => {
  const { operate, plan } = createQueueBench({ style: { runsyncFailed } })
  const { body } = plan([{ fail: 'no' }])
  expect(await operate('POST', 'runsync', { body })).toMatchObject({
    status: runsyncFailed,
    body: { status: 'FAILED', error: 'no' },
  })
})

test.each(['soon', '-1', '1.5', ''])('/runsync refuses the wait %j and queues nothing', async (wait) => {
  const { operate } = createQueueBench()
  expect(await operate('POST', `runsync?wait=${wait}`, { body: { input: {} } })).toMatchObject({ status: 400 })
  expect(await operate('GET', 'requests')).toMatchObject({ body: { requests: [] } })
})

test.each([
  [400, '999', 400],
  [400, '300001', 400],
  [400, '1000&more=1', 200],
  ['clamp', '999', 200],
] as const)('by style %s, a /runsync with wait %s is answered %i', async (waitRange, wait, status) => {
  const { operate } = createQueueBench({ style: { waitRange } })
  expect(await operate('POST', `runsync?wait=${wait}`, { body: { input: {} } })).toMatchObject({ status })
})

test('/runsync of a job that is cancelled, purged or deleted meanwhile is answered', async () => {
  const { operate, pass, rest } = createQueueBench()
  const body = { input: {}, policy: { lowPriority: true, ttl: 10_000 } }
  const ask = async () => {
    const asked = operate('POST', 'runsync', { body }, 'scale-to-zero')
    await rest()
    const { requests } = (await operate('GET', 'requests', {}, 'scale-to-zero')).body as { requests: { id: string }[] }
    return { asked, id: requests[0]?.id }
  }
  const cancelled = await ask()
  await operate('POST', `cancel/${cancelled.id}`, {}, 'scale-to-zero')
  expect(await cancelled.asked).toMatchObject({ status: 200, body: { id: cancelled.id, status: 'CANCELLED' } })
  const purged = await ask()
  await operate('POST', 'purge-queue', {}, 'scale-to-zero')
  expect(await purged.asked).toMatchObject({ status: 200, body: { id: purged.id, status: 'CANCELLED' } })
  const deleted = await ask()
  await pass(10_000)
  expect(await deleted.asked).toMatchObject({ status: 404, body: { error: 'job not found' } })
})

test('/stream hands out each partial result once, in order, and says when the job is done', async () => {
  const { operate, pass, submit } = createQueueBench()
  const steps = [{ emit: 1 }, { emit: { b: 2 } }, { hold: 'a' }, { emit: 3 }, { hold: 'b' }]
  const job = await submit(steps)
  const read = (path = `stream/${job.id}`) => operate('GET', path)
  expect(await read()).toMatchObject({
    status: 200,
    body: { status: 'IN_PROGRESS', stream: [{ output: 1 }, { output: { b: 2 } }] },
  })
  const held = read(`stream?id=${job.id}`)
  await pass(1000)
  await job.release('a')
  expect(await held).toMatchObject({ body: { status: 'IN_PROGRESS', stream: [{ output: 3 }] } })
  const empty = read()
  await pass(5000)
  expect((await empty).body).toEqual({ status: 'IN_PROGRESS', stream: [] })
  await job.release('b')
  for (let n = 0; n < 2; n++) expect((await read()).body).toEqual({ status: 'COMPLETED', stream: [] })
  expect(await job.status()).toMatchObject({ output: [1, { b: 2 }, 3] })
})

test('a held /stream ends with the cancellation of its job', async () => {
  const { operate, rest, submit } = createQueueBench()
  const job = await submit(hold)
  const held = operate('GET', `stream/${job.id}`)
  await rest()
  await job.act('cancel')
  expect((await held).body).toEqual({ status: 'CANCELLED', stream: [] })
})

test('a stream may be cumulative, and a running job may show its progress', async () => {
  const { operate, submit } = createQueueBench({ style: { streamForm: 'cumulative', progressOutput: 'shown' } })
  const job = await submit([{ emit: 1 }, { hold: 'a' }, { emit: 2 }, { hold: 'b' }])
  expect(await operate('GET', `stream/${job.id}`)).toMatchObject({ body: { stream: [{ output: 1 }] } })
  await job.release('a')
  expect(await operate('GET', `stream/${job.id}`)).toMatchObject({ body: { stream: [{ output: 1 }, { output: 2 }] } })
  expect(await job.status()).toMatchObject({ status: 'IN_PROGRESS', output: 2 })
})

test('an OpenAI route becomes a job and answers what the worker gave', async () => {
  const { operate, plan } = createQueueBench()
  const body = { model: 'small', messages: [] }
  const path = 'openai/v1/chat/completions'
  expect(await operate('POST', path, { body })).toMatchObject({
    status: 200,
    body: { openai_route: '/v1/chat/completions', openai_input: body },
  })
  const failing = plan([{ fail: 'no model' }]).body.input
  expect(await operate('POST', path, { body: failing })).toMatchObject({ status: 500, body: { error: 'no model' } })
  for (const wrong of ['[]', '{', '"a"'])
    expect(await operate('POST', path, { body: wrong })).toMatchObject({ status: 400 })
})

test('an OpenAI route whose job waits longer than /runsync would answers the job', async () => {
  const { operate, pass, submit } = createQueueBench()
  await submit(hold, {}, 'second')
  const held = operate('POST', 'openai/v1/models', { body: {} }, 'second')
  await pass(60_000)
  expect(await held).toMatchObject({ status: 200, body: { id: expect.any(String), status: 'IN_QUEUE' } })
})

test('an endpoint without workers starts one for a job, which leaves when it has nothing to do', async () => {
  const { operate, pass, submit } = createQueueBench()
  const workers = async () => (await operate('GET', 'health', {}, 'scale-to-zero')).body?.workers
  const job = await submit([{ hold: 'go' }], {}, 'scale-to-zero')
  const second = await submit([{ output: 2 }], {}, 'scale-to-zero')
  expect(await workers()).toMatchObject({ initializing: 1, ready: 0 })
  await pass(5000)
  expect(await workers()).toMatchObject({ initializing: 0, running: 1 })
  await pass(1000)
  await job.release('go')
  expect(await second.status()).toMatchObject({ status: 'COMPLETED', delayTime: 6000 })
  await pass(4999)
  expect(await workers()).toMatchObject({ idle: 1 })
  await pass(1)
  expect(await workers()).toMatchObject({ idle: 0, ready: 0 })
})

test('a low-priority job starts no worker, and is done with one that a normal job starts', async () => {
  const { pass, submit } = createQueueBench()
  const low = await submit([], { policy: { lowPriority: true } }, 'scale-to-zero')
  await pass(60_000)
  expect(low.starts()).toHaveLength(0)
  const normal = await submit([], { policy: { lowPriority: false } }, 'scale-to-zero')
  await pass(5000)
  expect(await low.status()).toMatchObject({ status: 'COMPLETED' })
  expect(await normal.status()).toMatchObject({ status: 'COMPLETED' })
})

test('workers are added up to the greatest number, take jobs in order, and go back to the least', async () => {
  const { operate, pass, submit } = createQueueBench({
    endpoints: [{ id: 'dedicated', workersMin: 1, workersMax: 3, coldStartMs: 1000, idleTimeoutMs: 2000 }],
  })
  const jobs = []
  for (let n = 0; n < 5; n++) jobs.push(await submit(hold))
  expect(await operate('GET', 'health')).toMatchObject({ body: { workers: { running: 1, initializing: 2 } } })
  await pass(1000)
  expect(jobs.map((job) => job.starts().length)).toEqual([1, 1, 1, 0, 0])
  for (const job of jobs) await job.release('go')
  const workers = jobs.map((job) => job.starts()[0]?.body?.worker)
  expect(new Set(workers).size).toBe(3)
  await pass(2000)
  expect(await operate('GET', 'health')).toMatchObject({ body: { workers: { idle: 1, ready: 1 } } })
  await pass(100_000)
  expect(await operate('GET', 'health')).toMatchObject({ body: { workers: { ready: 1 } } })
})

test('the default endpoints keep within the quota of workers', () => {
  expect(defaultEndpoints.map(({ id }) => id)).toEqual([
    'normal',
    'dedicated',
    'two-workers',
    'second',
    'scale-to-zero',
    'timeout',
  ])
  expect(defaultEndpoints.reduce((sum, { workersMax }) => sum + workersMax, 0)).toBeLessThanOrEqual(30)
})

test('a caller who is gone is waited for no longer, and the job goes on', async () => {
  const { controlled, pass, plan, receiver, reference, rest } = createQueueBench()
  const { beacon, body } = plan(hold)
  const gone = new AbortController()
  const asked = controlled.wrap(reference.fetch)(
    new Request('https://queue.test/v2/dedicated/runsync', {
      method: 'POST',
      headers: { authorization: `Bearer ${defaultKeys.full}` },
      body: JSON.stringify(body),
      signal: gone.signal,
    }),
  )
  await pass(1000)
  expect(controlled.state().open).toBe(1)
  gone.abort()
  await rest()
  expect(controlled.state().open).toBe(0)
  await asked
  receiver.release(`${beacon}/hold/go`)
  await rest()
  expect(receiver.at(`${beacon}/end`)).toHaveLength(1)
})
