import { expect, test } from 'vitest'
import { createRealClock } from '../../harness/clock/real.ts'
import { referenceTarget } from '../../proof/instance.ts'
import { queuePlan } from '../plan/queue-plan.ts'
import type { QueueClient } from './client.ts'
import { performQueue } from './perform.ts'

const { queue } = referenceTarget('https://reference.test', 'real')

/** A plan that had no response to its one request. */
async function silent(isBeside: boolean) {
  if (queue === null) throw new Error('the reference has no queue plane')
  const clock = createRealClock()
  const actor = clock.actor('load')
  const client = { health: async () => ({ status: 200, body: null }) } as unknown as QueueClient
  const point = { operation: 'requests', sentMs: 0, receivedMs: 1, status: 0, kind: 'transport' } as const
  const plan = queuePlan({ operation: 'requests', shape: 'under' })
  try {
    return await performQueue(
      { name: 'requests-under', plan, rules: [] },
      {
        ...{ queue, windowScale: 1, client, clock: actor, startMs: 0, isBeside: () => isBeside },
        drive: async () => ({ points: [point], notes: [] }),
      },
    )
  } finally {
    actor.done()
    clock.close()
  }
}

test('most requests without a response end the plane, unless other plans may be why', async () => {
  await expect(silent(false)).rejects.toThrow('left 1 of 1 requests without a response')
  expect((await silent(true)).points).toHaveLength(1)
})
