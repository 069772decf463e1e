import { expect, test } from 'vitest'
import { tables } from '../../generated/tables.ts'
import { defaultTolerances } from '../../target/tolerances.ts'
import type { PendingEvent } from '../clock/types.ts'
import type { Context } from '../rule/context.ts'
import { runOnRig } from '../testing/rig.ts'
import { TransportFailure } from '../transport/types.ts'
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

test.each([
  ['a deployment tool, whose commands let the clock stand still', true],
  ['no deployment tool', false],
])('how long a held response may take, with %s', async (_, hasTool) => {
  const waited: (number | undefined)[] = []
  const limitMs = 600_000
  await runOnRig(
    { sends: { run: async ({ queue }) => void (await queue.runsync({ input: {} }, alone)) } },
    {
      target: (target) => ({ ...target, deploy: hasTool ? target.deploy && { ...target.deploy, limitMs } : null }),
      through: (transport) => (wire, patience) => {
        if (patience?.newConnection === true) waited.push(patience.answerMs)
        return transport(wire, patience)
      },
    },
  )
  const longest = tables.bounds.executionTimeoutMs.default + defaultTolerances.answerMs
  expect(waited).toEqual([hasTool ? longest + limitMs : longest])
})

const missing = 'no-such-job'
const purgeByGet = { purgeQueue: 'GET /v2/{endpoint}/purge-queue' }
const statusByPost = { getJobStatus: 'POST /v2/{endpoint}/status/{job}' }

const lost: readonly [string, number, (context: Context) => Promise<ApiResponse>, Readonly<Record<string, string>>?][] =
  [
    ['a read', 2, ({ queue }) => queue.status(missing)],
    ['a read that the target file gives another method', 2, ({ queue }) => queue.status(missing), statusByPost],
    ['a read that hands something out', 1, ({ queue }) => queue.stream(missing)],
    ['the same if it must be refused', 2, ({ queue }) => queue.stream(missing, { mustBeRefused: true })],
    ['a change', 1, ({ queue }) => queue.on('dedicated').purge()],
    ['a change that the target file calls by GET', 1, ({ queue }) => queue.on('dedicated').purge(), purgeByGet],
    ['a read whose arrivals are counted', 1, ({ lb }) => lb.send('GET', '/', { once: true })],
  ]

test.each(lost)('without a response, %s is sent %d×', async (_, times, send, paths = {}) => {
  const sent: string[] = []
  const { judgements } = await runOnRig(
    { sends: { run: async (context) => void (await send(context)) } },
    {
      target: (target) => ({
        ...target,
        queue: target.queue && { ...target.queue, paths: { ...target.queue.paths, ...paths } },
      }),
      through: () => async (wire) => {
        sent.push(wire.url)
        throw new TransportFailure('reset', 'the response was lost')
      },
    },
  )
  expect(judgements.get('sends')).toMatchObject({ verdict: 'inconclusive' })
  expect(sent).toHaveLength(times)
})
