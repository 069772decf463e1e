import { expect, test } from 'vitest'
import { composeOptions, createControlledClock, createReference, OptionError, type ReferenceOptions } from '../index.ts'
import { createQueueBench, type Steps } from '../testing/queue-bench.ts'

const { clock } = createControlledClock(0)
const plain = { id: 'a', workersMin: 0, workersMax: 1, coldStartMs: 0, idleTimeoutMs: 0 }
const hold: Steps = [{ hold: 'go' }, { output: 'late' }]

test.each<[object, string]>([
  [{ endpoints: [{ ...plain, id: 'pods' }] }, 'Option endpoints: expected an id of letters'],
  [{ endpoints: [{ ...plain, id: 'a/b' }] }, 'Option endpoints: expected an id of letters'],
  [{ endpoints: [plain, plain] }, 'Option endpoints: expected identifiers that differ, got "a" (string)'],
  [{ endpoints: [{ ...plain, user: 'nobody' }] }, 'Option endpoints (a).user: expected one of user-1, user-2'],
  [{ endpoints: [{ ...plain, workersMin: 2 }] }, 'Option endpoints (a).workersMin: expected workersMax at most, got 2'],
  [{ call: 'https://' }, 'Option call: expected a function'],
  [{ worker: {} }, 'Option worker: expected a program with execute'],
])('%o is refused', (options, message) => {
  const make = () => createReference({ clock, ...options } as ReferenceOptions)
  expect(make).toThrow(OptionError)
  expect(make).toThrow(message)
})

test('settings of queues compose', () => {
  const { queue } = composeOptions({ clock, queue: { perWorkerRate: 1 } }, { queue: { limiter: 'gcra' } })
  expect(queue).toEqual({ perWorkerRate: 1, limiter: 'gcra' })
})

test('an endpoint belongs to the account that it names', async () => {
  const { operate } = createQueueBench({ endpoints: [{ ...plain, id: 'theirs', user: 'user-2' }] })
  expect(await operate('GET', 'health', { key: 'stranger' }, 'theirs')).toMatchObject({ status: 200 })
  expect(await operate('GET', 'health', {}, 'theirs')).toMatchObject({ status: 404 })
})

test('nothing is left on the clock of a reference that is closed', async () => {
  const { controlled, operate, receiver, reference, rest, submit } = createQueueBench()
  receiver.answer('/hook', 'never')
  receiver.answer('/other', 500)
  await submit([], { webhook: 'https://receiver.test/hook' })
  await submit([], { webhook: 'https://receiver.test/other' })
  await submit(hold)
  await submit([{ first: [{ exit: 1 }] }])
  await submit([], {}, 'scale-to-zero')
  const asked = operate('POST', 'runsync', { body: { input: {}, policy: { lowPriority: true } } }, 'scale-to-zero')
  await rest()
  reference.close()
  await rest()
  expect(controlled.state()).toMatchObject({ nextMs: null, busy: [], open: 0 })
  expect(await asked).toMatchObject({ body: { status: 'IN_QUEUE' } })
})

test('a late result counts where a part accepts it', async () => {
  const { submit } = createQueueBench({ parts: { acceptsReport: () => () => true } })
  const job = await submit([{ deaf: true }, ...hold])
  await job.act('cancel')
  await job.release('go')
  expect(await job.status()).toMatchObject({ status: 'COMPLETED', output: 'late' })
})

test('a ttl that starts with the execution, where a part has it so', async () => {
  const { pass, submit } = createQueueBench({
    parts: {
      expireJob: (original) => (job, service) => {
        if (job.status !== 'IN_PROGRESS') original(job, service)
      },
    },
  })
  const job = await submit(hold, { policy: { ttl: 10_000 } })
  await pass(10_000)
  expect(await job.status()).toMatchObject({ status: 'IN_PROGRESS' })
})

test('jobs are handed out the other way round where a part takes the last', async () => {
  const { submit } = createQueueBench({
    parts: {
      nextJob:
        () =>
        ({ waiting }) =>
          [...waiting.all()].at(-1) ?? null,
    },
  })
  const held = [await submit(hold), await submit(hold)]
  const jobs = [await submit(hold), await submit(hold)]
  await held[0]?.release('go')
  expect(jobs.map((job) => job.starts().length)).toEqual([0, 1])
})

test('a webhook is told a fourth time where a part allows it', async () => {
  const { pass, receiver, submit } = createQueueBench({
    parts: { nextAttemptMs: () => (count, attemptMs) => (count < 4 ? attemptMs + 1000 : null) },
  })
  receiver.answer('/hook', 500, 500, 500, 500, 500)
  await submit([], { webhook: 'https://receiver.test/hook' })
  await pass(10_000)
  expect(receiver.at('/hook')).toHaveLength(4)
})

test('what is thrown outside a request is a fault, and the next request throws it', async () => {
  const fault = () => {
    throw new RangeError('a fault')
  }
  const { operate, submit } = createQueueBench({ parts: { retriesJob: () => fault } })
  await submit([{ exit: 1 }])
  await expect(operate('GET', 'health')).rejects.toThrow('a fault')
  expect(await operate('GET', 'health')).toMatchObject({ status: 200 })
})

test('the numbers of /health may lag behind', async () => {
  const { operate, pass, submit } = createQueueBench({ life: { healthCacheMs: 3000 } })
  const completed = async () => (await operate('GET', 'health')).body?.jobs
  expect(await completed()).toMatchObject({ completed: 0 })
  await submit([])
  await pass(2999)
  expect(await completed()).toMatchObject({ completed: 0 })
  await pass(1)
  expect(await completed()).toMatchObject({ completed: 1 })
})
