import { expect, test } from 'vitest'
import { type SchemaName, validators } from '../../generated/validators.ts'
import { createQueueBench, type Steps } from '../testing/queue-bench.ts'
import { queueStyleChoices } from './style.ts'

const hold: Steps = [{ emit: 'first' }, { hold: 'go' }, { output: null }]
const policy = { executionTimeout: 5000 }

const every = Object.entries(queueStyleChoices).flatMap(([name, choices]) =>
  choices.map((choice) => ({ name, choice })),
)

test.each(every)('$name $choice: every response has the form of the API document', async ({ name, choice }) => {
  const { operate, pass, plan, submit } = createQueueBench({ style: { [name]: choice } })
  const seen: string[] = []

  async function ask(schema: SchemaName, method: string, path: string, sent = {}) {
    const { status, body } = await operate(method, path, sent)
    const validate = validators[status < 300 ? schema : 'QueueError']
    expect(validate(body), JSON.stringify([path, status, body, validate.errors])).toBe(true)
    if (schema === 'Job') seen.push(String(body?.status ?? status))
  }
  const look = (id: string) => ask('Job', 'GET', `status/${id}`)

  const done = await submit(hold)
  await look(done.id)
  await pass(2000)
  await look(done.id)
  await ask('StreamResponse', 'GET', `stream/${done.id}`)
  await done.release('go')
  const failed = await submit([{ fail: 'no' }])
  const late = await submit(hold, { policy })
  const stopped = await submit(hold)
  const first = await submit(hold)
  const waiting = await submit(hold)
  await ask('JobReceipt', 'POST', `cancel/${stopped.id}`)
  await ask('JobReceipt', 'POST', `cancel/${done.id}`)
  await look(waiting.id)
  await ask('PurgeResponse', 'POST', 'purge-queue')
  await pass(10_000)
  for (const { id } of [done, failed, late, stopped, first, waiting]) await look(id)
  await ask('JobAccepted', 'POST', `retry/${failed.id}`)
  await ask('JobAccepted', 'POST', `retry/${done.id}`)
  await ask('EndpointHealth', 'GET', 'health')
  await ask('JobAccepted', 'POST', 'run', { body: plan([]).body })
  await ask('JobAccepted', 'POST', 'run', { body: {} })
  await ask('Job', 'POST', 'runsync?wait=1000', { body: { input: {} } })
  await ask('Job', 'POST', 'runsync', { body: plan([{ fail: 'no' }]).body })
  for (const status of ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED']) expect(seen).toContain(status)
})
