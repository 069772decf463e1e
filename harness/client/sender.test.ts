import { expect, test } from 'vitest'
import type { PendingEvent } from '../clock/types.ts'
import type { Context } from '../rule/context.ts'
import { runOnRig } from '../testing/rig.ts'
import type { ApiResponse } from './api-response.ts'

const alone = { newConnection: true }

const calls: readonly [string, (context: Context) => Promise<ApiResponse> | PendingEvent<ApiResponse>][] = [
  ['GET /v2/pods', ({ pods }) => pods.list(alone)],
  ['POST /v2/normal/run', ({ queue }) => queue.run({ input: {} }, alone)],
  ['POST /v2/normal/runsync', ({ queue }) => queue.runsync({ input: {} }, alone)],
  ['POST /v2/normal/runsync', ({ queue }) => queue.held.runsync({ input: {} }, alone)],
]

test.each(calls)('%s is sent on a connection of its own where it is asked for', async (request, send) => {
  const sent: unknown[] = []
  const { judgements } = await runOnRig(
    {
      sends: {
        async run(context) {
          const answer = send(context)
          const response =
            'comes' in answer ? await context.clock.until(answer, context.clock.now() + 60_000) : await answer
          context.check('answered').that(response?.status === 200, '200', `${response?.status}`, response)
        },
      },
    },
    {
      through: (transport) => (wire, patience) => {
        if (patience?.newConnection === true) sent.push(`${wire.method} ${new URL(wire.url).pathname}`)
        return transport(wire, patience)
      },
    },
  )
  expect(judgements.get('sends')?.verdict).toBe('passed')
  expect(sent).toEqual([request])
})
