import { expect, test } from 'vitest'
import { createRealClock } from '../../harness/clock/real.ts'
import { referenceTarget } from '../../proof/instance.ts'
import { queuePlan } from '../plan/queue-plan.ts'
import type { QueuePlan } from '../plan/types.ts'
import type { QueueClient } from './client.ts'
import { performQueue } from './perform.ts'

const { queue } = referenceTarget('https://reference.test', 'real')

/** Drives a plan that had no response to its one request. */
async function perform(plan: QueuePlan, client: Partial<QueueClient>, isBeside = false) {
  if (queue === null) throw new Error('the reference has no queue plane')
  const clock = createRealClock()
  const actor = clock.actor('load')
  const health: QueueClient['health'] = async () => ({ status: 200, body: null })
  const point = { operation: plan.limit.operation, sentMs: 0, receivedMs: 1, status: 0, kind: 'transport' } as const
  const step = { name: plan.shape, plan, rules: [] }
  const common = { queue, windowScale: 1, clock: actor, startMs: 0, isBeside: () => isBeside }
  try {
    return await performQueue(step, {
      ...common,
      client: { health, ...client } as QueueClient,
      drive: async () => ({ points: [point], notes: [] }),
    })
  } finally {
    actor.done()
    clock.close()
  }
}

test('most requests without a response end the plane, unless other plans may be why', async () => {
  const plan = queuePlan({ operation: 'requests', shape: 'under' })
  await expect(perform(plan, {})).rejects.toThrow('left 1 of 1 requests without a response')
  expect((await perform(plan, {}, true)).points).toHaveLength(1)
})

test('a request that waits for its job may have no response in a smoke', async () => {
  expect((await perform(queuePlan({ operation: 'runsync', shape: 'smoke' }), {})).points).toHaveLength(1)
  const answering = perform(queuePlan({ operation: 'run', shape: 'smoke' }), {})
  await expect(answering).rejects.toThrow('left 1 of 1 requests without a response')
})

test('jobs that keep workers busy are cancelled, those that /stream was held by as well', async () => {
  const submitted: string[] = []
  const cancelled: string[] = []
  await perform(queuePlan({ operation: 'stream', shape: 'concurrency' }), {
    submit: async () => `job-${submitted.push('')}`,
    cancel: async (_, job) => void cancelled.push(job),
  })
  expect(submitted.length).toBeGreaterThan(1)
  expect(cancelled).toHaveLength(submitted.length)
})
