import { expect, test } from 'vitest'
import type { Context } from '../rule/context.ts'
import { runOnRig } from '../testing/rig.ts'
import { type Transport, TransportFailure } from '../transport/types.ts'

/** A target whose first responses come, and no others. */
function dyingAfter(responses: number) {
  let left = responses
  return (transport: Transport): Transport =>
    (request, options) => {
      if (left-- > 0) return transport(request, options)
      return Promise.reject(new TransportFailure('unreachable', 'the connection was refused'))
    }
}

/** Lists pods, waits, and misses something. */
const missing = (waitMs: number) => async (context: Context) => {
  const response = await context.on('pods').call('listPods')
  if (waitMs > 0) await context.clock.sleep(waitMs)
  context.check('comes').that(false, 'a notification', 'none', response)
}

test.each([
  ['after a wait on a target that responds', 100, 1_000, 'failed', 2],
  ['after a wait on a target that died', 1, 1_000, 'inconclusive', 3],
  ['that a response shows', 1, 0, 'failed', 1],
])('a failure %s has its verdict', async (_, responses, waitMs, verdict, exchanges) => {
  const { judgements, events, judged, replayed } = await runOnRig(
    { waits: { run: missing(waitMs) } },
    { through: dyingAfter(responses) },
  )
  expect(judgements.get('waits')?.verdict).toBe(verdict)
  if (verdict === 'inconclusive')
    expect(judgements.get('waits')?.reason).toBe(
      'expected a notification; observed none; but the target does not respond any more: no complete response: the connection was refused',
    )
  expect(events.filter(({ type }) => type === 'exchange')).toHaveLength(exchanges)
  expect(replayed).toEqual(judged)
})

test('a failure after another run moved the clock is inconclusive', async () => {
  let move: Transport | undefined
  const run = async (context: Context) => {
    const response = await context.on('pods').call('listPods')
    const body = new TextEncoder().encode('{"advanceMs":5000}')
    await move?.({ method: 'POST', url: 'https://clock.test', headers: [], body })
    context.check('comes').that(false, 'a pod in PROVISIONING', 'STARTING', response)
  }
  const { judgements, judged, replayed } = await runOnRig(
    { unchanged: { run } },
    {
      clock: (calls) => {
        move = calls
        return calls
      },
    },
  )
  expect(judgements.get('unchanged')).toMatchObject({
    verdict: 'inconclusive',
    reason: expect.stringMatching(
      /observed STARTING; but the target may have .* moved by 5000 ms between two calls; .*one run alone/,
    ),
  })
  expect(replayed).toEqual(judged)
})
