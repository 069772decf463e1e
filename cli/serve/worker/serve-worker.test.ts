import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeWorker, noPython, python, pythonWorker } from '../../../harness/testing/workers.ts'
import { type Arrival, type Receiver, startReceiver } from './testing/receiver.ts'
import { drive } from './testing/served.ts'

const workers = [
  { worker: 'the worker of the reference', words: [] },
  { worker: 'node worker/main.ts', words: nodeWorker },
  ...(python === null ? [] : [{ worker: 'python3 suites/worker', words: [...pythonWorker] }]),
]

/** All that came to the receiver, by worker. */
const traces: Arrival[][] = []

describe.each(workers)('over HTTP, with $worker', { timeout: 120_000 }, ({ words }) => {
  let receiver: Receiver
  let served: Awaited<ReturnType<typeof drive>>

  beforeAll(async () => {
    receiver = await startReceiver()
    served = await drive(words, receiver)
  }, 120_000)

  afterAll(async () => {
    expect(await served.end('SIGINT')).toBe(0)
    receiver.close()
    traces.push(receiver.arrivals)
  })

  test('an input without a plan is echoed', async () => {
    const input = { text: 'ü€𝄞\u0000\u2028', empty: [{}, [], '', null], numbers: [0.1, 1e300, 2 ** 53] }
    expect(await served.operate('POST', 'runsync', { input })).toMatchObject({ status: 'COMPLETED', output: input })
  })

  test('hold takes time on the clock of the target', async () => {
    const job = await served.submit([{ emit: 1 }, { hold: 'go' }, { emit: 2 }])
    await served.pass(3000)
    expect(await job.status()).toMatchObject({ status: 'IN_PROGRESS' })
    await job.release('go')
    expect(await job.status()).toMatchObject({ status: 'COMPLETED', output: [1, 2], executionTime: 3000 })
    expect(job.heard()).toMatchObject([
      ['start', { attempt: 1 }],
      ['hold/go', null],
      ['end', { outcome: 'completed' }],
    ])
    expect(job.moments()).toEqual([0, 0, 3000])
  })

  test('a job that fails', async () => {
    const job = await served.submit([{ fail: 'no' }])
    expect(await job.status()).toMatchObject({ status: 'FAILED', error: 'no' })
    expect(job.heard()).toMatchObject([
      ['start', { attempt: 1 }],
      ['end', { outcome: 'failed', message: 'no' }],
    ])
  })

  test('a job whose worker dies is executed again', async () => {
    const job = await served.submit([{ first: [{ exit: 1 }] }, { output: 'again' }])
    expect(await job.status()).toMatchObject({ status: 'COMPLETED', output: 'again', retries: 1 })
    expect(job.heard()).toMatchObject([
      ['start', { attempt: 1 }],
      ['start', { attempt: 2 }],
      ['end', { outcome: 'completed' }],
    ])
    await served.pass(2000)
  })

  test('a job whose worker dies each time', async () => {
    const job = await served.submit([{ exit: 1 }])
    await served.pass(4000)
    expect(await job.status()).toMatchObject({ status: 'FAILED', error: expect.stringContaining('exited') })
    expect(job.heard()).toMatchObject([1, 2, 3].map((attempt) => ['start', { attempt }]))
    await served.pass(2000)
  })

  test('first is told from the second execution', async () => {
    const job = await served.submit([{ first: [{ fail: 'once' }] }, { output: 'then' }])
    expect(await job.status()).toMatchObject({ status: 'FAILED', error: 'once' })
    await job.act('retry')
    expect(await job.status()).toMatchObject({ status: 'COMPLETED', output: 'then' })
    expect(job.heard().map(([path]) => path)).toEqual(['start', 'end', 'start', 'end'])
  })

  test('a deaf job runs past its executionTimeout, and its report comes too late', async () => {
    const steps = [{ deaf: true }, { hold: 'late' }, { output: 1 }]
    const job = await served.submit(steps, { policy: { executionTimeout: 5000 } })
    await served.pass(7000)
    expect(await job.status()).toMatchObject({ status: 'FAILED', error: expect.stringContaining('executionTimeout') })
    await job.release('late')
    expect(await job.status()).toMatchObject({ status: 'FAILED' })
    expect(job.heard().at(-1)).toMatchObject(['end', { outcome: 'completed' }])
    expect(job.moments()).toEqual([0, 0, 7000])
  })

  test('a cancelled job stops, tells no end, and its worker takes another', async () => {
    const jobs = [await served.submit([{ hold: 'a' }]), await served.submit([{ hold: 'b' }])]
    await jobs[0]?.act('cancel')
    expect(await jobs[0]?.status()).toMatchObject({ status: 'CANCELLED' })
    const next = await served.submit([{ output: 'next' }])
    expect(await next.status()).toMatchObject({ status: 'COMPLETED', output: 'next' })
    await jobs[1]?.release('b')
    await served.pass(1000)
    expect(jobs.map((job) => job.heard().map(([path]) => path))).toEqual([
      ['start', 'hold/a'],
      ['start', 'hold/b', 'end'],
    ])
  })

  test('a webhook that is refused is tried three times', async () => {
    receiver.answer('/hook', 500, 500, 500)
    const job = await served.submit([{ output: 'told' }], { webhook: `${receiver.url}/hook` })
    await served.pass(40_000)
    const attempts = receiver.arrivals.filter(({ path }) => path === '/hook')
    const beganMs = attempts[0]?.atMs ?? 0
    expect(attempts.map(({ atMs }) => (atMs ?? 0) - beganMs)).toEqual([0, 10_000, 20_000])
    expect(attempts[2]?.body).toMatchObject({ status: 'COMPLETED', output: 'told', webhook: 'http://receiver/hook' })
    expect(await job.status()).toMatchObject({ status: 'COMPLETED' })
  })

  test('what a job is called with', async () => {
    const s3Config = { accessId: 'i', accessSecret: 's', bucketName: 'b', endpointUrl: 'https://s3.test' }
    const job = await served.submit([{ report: ['env', 'gpu', 's3Config'] }], { s3Config })
    expect(await job.status()).toMatchObject({ output: { env: {}, gpu: null, s3Config } })
  })

  test.each([
    [null],
    [{ v: 2, steps: [] }],
    [{ v: 1, steps: [{ unknown: 1 }] }],
    [{ v: 1, steps: [{ hold: 'a/b' }] }],
    [{ v: 1, steps: [{ first: [{ bytes: 1.5 }] }] }],
    [{ v: 1, beacon: 'b', steps: [] }],
  ])('the plan %j fails its job', async (plumbline) => {
    expect(await served.operate('POST', 'runsync', { input: { plumbline } })).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('plumbline'),
    })
  })
})

test('both workers are seen to do the same', ({ skip }) => {
  skip(python === null, noPython)
  const [first, second] = traces
  expect(first?.length).toBeGreaterThan(20)
  expect(second).toEqual(first)
})
