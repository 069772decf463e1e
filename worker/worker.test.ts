import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createQueueBench, type Steps } from '../reference/testing/queue-bench.ts'
import { createConformanceWorker } from './conformance.ts'
import type { Outcome, WorkerJob, WorkerTools } from './program.ts'

/** Plans and what follows from them, the same table for every conformance worker. */
interface Table {
  readonly surroundings: Pick<WorkerTools, 'env' | 'gpu'> & Pick<WorkerJob, 's3Config'>
  readonly cases: readonly {
    readonly says: string
    readonly input: WorkerJob['input']
    readonly partials?: readonly unknown[]
    readonly output?: unknown
    readonly error?: string
    readonly exit?: number
  }[]
}

const beacon = 'https://receiver.test/b'
const table: Table = JSON.parse(readFileSync(new URL('../spec/worker-cases.json', import.meta.url), 'utf8'))

test.each(table.cases)('$says', async ({ says: _, input, exit, ...expected }) => {
  const { env, gpu, s3Config } = table.surroundings
  const partials: unknown[] = []
  const outcome = await createConformanceWorker().execute(
    { id: 'job-1', input, s3Config, call: 'x1', attempt: 1, execution: 'job-1.1', worker: 'worker-1' },
    {
      call: () => Promise.reject(new Error('nobody is to be told anything')),
      signal: new AbortController().signal,
      emit: (partial) => void partials.push(partial),
      env,
      gpu,
    },
  )
  if (exit !== undefined) return expect(outcome).toEqual({ kind: 'died', code: exit })
  const seen = outcome.kind === 'completed' ? { output: outcome.output ?? null } : { error: messageOf(outcome) }
  expect({ ...seen, partials }).toEqual({ partials: [], ...expected })
})

test.each<[Steps, unknown]>([
  [[], null],
  [[{ output: { a: [] } }], { a: [] }],
  [
    [{ emit: 1 }, { emit: 2 }],
    [1, 2],
  ],
  [[{ report: ['env', 'gpu'] }], { env: { MODE: 'test' }, gpu: { id: 'gpu-a', count: 1 } }],
])('the steps %j give %j', async (steps, output) => {
  const { submit } = createQueueBench({
    endpoints: [
      {
        id: 'dedicated',
        workersMin: 1,
        workersMax: 1,
        coldStartMs: 0,
        idleTimeoutMs: 0,
        env: { MODE: 'test' },
        gpu: { id: 'gpu-a', count: 1 },
      },
    ],
  })
  const job = await submit(steps)
  expect(await job.status()).toMatchObject({ status: 'COMPLETED', output })
  expect(job.ends()).toMatchObject([{ body: { outcome: 'completed' } }])
})

test('what is reported by default is that of a CPU', async () => {
  const { submit } = createQueueBench()
  const job = await submit([{ report: ['input', 'env', 'gpu', 's3Config'] }])
  expect(await job.status()).toMatchObject({
    output: { input: { plumbline: { v: 1 } }, env: {}, gpu: null, s3Config: null },
  })
})

test('a plan that cannot be followed fails the job, and nothing is told to its beacon', async () => {
  const { operate, receiver } = createQueueBench()
  const plumbline = { v: 1, beacon, steps: [{ unknown: 1 }] }
  const { body } = await operate('POST', 'runsync', { body: { input: { plumbline } } })
  expect(body).toMatchObject({ status: 'FAILED', error: 'plumbline.steps[0] is not a known step' })
  expect(receiver.arrivals).toHaveLength(0)
})

test('without a beacon hold fails, and the rest works', async () => {
  const { operate } = createQueueBench()
  const run = async (steps: Steps) =>
    (await operate('POST', 'runsync', { body: { input: { plumbline: { v: 1, steps } } } })).body
  expect(await run([{ hold: 'go' }])).toMatchObject({ status: 'FAILED', error: 'hold needs a beacon' })
  expect(await run([{ first: [{ output: 1 }] }])).toMatchObject({ status: 'COMPLETED', output: 1 })
  expect(await run([{ fail: '' }])).toMatchObject({ status: 'FAILED', error: 'the handler failed' })
})

test('sleepMs takes real time, and no controlled time', async () => {
  const { pauses, submit } = createQueueBench()
  const job = await submit([{ sleepMs: 1500 }, { output: 1 }])
  expect(await job.status()).toMatchObject({ status: 'COMPLETED', executionTime: 0 })
  expect(pauses).toEqual([1500])
})

test.each<[string, () => Response | Promise<Response>]>([
  ['refuses', () => Promise.reject(new TypeError('connection refused'))],
  [
    'throws',
    () => {
      throw new TypeError('no route')
    },
  ],
  ['answers 500', () => new Response(null, { status: 500 })],
  ['answers no JSON', () => new Response('hello')],
  ['answers null', () => Response.json(null)],
  ['answers n 0', () => Response.json({ n: 0 })],
])('a beacon that %s fails the job', async (_name, answer) => {
  const { operate, rest } = createQueueBench({ call: async () => answer() })
  const { body } = await operate('POST', 'run', { body: { input: { plumbline: { v: 1, beacon, steps: [] } } } })
  await rest()
  expect(await operate('GET', `status/${body?.id}`)).toMatchObject({
    body: { status: 'FAILED', error: expect.stringContaining('beacon') },
  })
})

test('a key that is not answered with a success is asked for again, with the same call', async () => {
  const asked: string[] = []
  const { operate, pauses } = createQueueBench({
    call: async ({ headers, url }) => {
      asked.push(`${headers.get('plumbline-call')} ${new URL(url).pathname}`)
      if (url.endsWith('/start')) return Response.json({ n: 1 })
      return new Response(null, { status: url.includes('/hold/') && asked.length < 4 ? 503 : 200 })
    },
  })
  const input = { plumbline: { v: 1, beacon: `${beacon}/`, steps: [{ hold: 'a.b-c_1' }] } }
  expect(await operate('POST', 'runsync', { body: { input } })).toMatchObject({ body: { status: 'COMPLETED' } })
  expect(asked).toEqual(['x1 /b/start', 'x1 /b/hold/a.b-c_1', 'x1 /b/hold/a.b-c_1', 'x1 /b/hold/a.b-c_1', 'x1 /b/end'])
  expect(pauses).toHaveLength(2)
})

test.each<[string, Error, string]>([
  ['was made and broke is made again', Object.assign(new Error('closed'), { code: 'UND_ERR_SOCKET' }), 'COMPLETED'],
  ['was reset is made again', new TypeError('failed', { cause: resetError() }), 'COMPLETED'],
  ['was never made fails the job', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'FAILED'],
])('a connection for a key that %s', async (_name, error, status) => {
  let holds = 0
  const { operate } = createQueueBench({
    call: async ({ url }) => {
      if (url.includes('/hold/') && holds++ === 0) throw error
      return Response.json({ n: 1 })
    },
  })
  const input = { plumbline: { v: 1, beacon, steps: [{ hold: 'go' }] } }
  expect(await operate('POST', 'runsync', { body: { input } })).toMatchObject({ body: { status } })
})

test('an execution is busy from before it begins until its end is told', async () => {
  const { controlled, operate, receiver, rest, submit } = createQueueBench()
  const job = await submit([{ hold: 'go' }])
  expect(controlled.state().busy).toEqual(['x1'])
  expect([...receiver.holding]).toEqual(['x1'])
  await operate('POST', 'run', { body: { input: {} } })
  receiver.release(`${job.beacon}/hold/go`)
  expect(controlled.state().busy).toContain('x1')
  await rest()
  expect(controlled.state().busy).toEqual([])
})

test('a stop ends an execution even where its call never settles', async () => {
  const { controlled, operate, rest } = createQueueBench({
    call: ({ url }) => (url.endsWith('/start') ? Promise.resolve(Response.json({ n: 1 })) : new Promise(() => {})),
  })
  const input = { plumbline: { v: 1, beacon, steps: [{ hold: 'go' }] } }
  const { body } = await operate('POST', 'run', { body: { input } })
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  expect(controlled.state().busy).toEqual(['x1'])
  await operate('POST', `cancel/${body?.id}`)
  await rest()
  expect(controlled.state().busy).toEqual([])
})

test('another program can be the worker, and its rejection is a failure of the handler', async () => {
  const { operate, rest } = createQueueBench({
    worker: {
      async execute({ input, attempt, worker }, { emit }) {
        emit('begun')
        if (input.bad === true) throw new Error('bad input')
        return { kind: 'completed', output: { attempt, worker } }
      },
    },
  })
  expect(await operate('POST', 'runsync', { body: { input: {} } })).toMatchObject({
    body: { output: { attempt: 1, worker: 'worker-4' } },
  })
  expect(await operate('POST', 'runsync', { body: { input: { bad: true } } })).toMatchObject({
    body: { status: 'FAILED', error: 'bad input' },
  })
  await rest()
})

function messageOf(outcome: Outcome): string {
  return outcome.kind === 'failed' ? outcome.message : outcome.kind
}

function resetError(): Error {
  return Object.assign(new Error('reset'), { code: 'ECONNRESET' })
}
