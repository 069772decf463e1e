import { describe, expect, test } from 'vitest'
import { limiterKindNames } from '../../reference/limits/windows.ts'
import { type QueuePlanOptions, queuePlan } from '../plan/queue-plan.ts'
import { driveOpenLoop } from '../testing/open-loop.ts'
import { createVirtualTarget, type TargetOptions } from '../testing/targets.ts'
import { analyse } from './analyse.ts'
import { analyseByClocks } from './clocks.ts'

const plans: readonly QueuePlanOptions[] = [
  ...(['under', 'over', 'recovery', 'isolation'] as const).map((shape) => ({ operation: 'requests', shape }) as const),
  ...(['under', 'over', 'burst'] as const).map((shape) => ({ operation: 'purge', shape }) as const),
  ...(['under', 'over'] as const).map((shape) => ({ operation: 'cancel', shape }) as const),
]

/** Judges what two machines recorded, one of which is `offMs` early and one `offMs` late, as `errorMs` permits. */
async function verdicts(target: TargetOptions, options: QueuePlanOptions, offMs: number, errorMs = Math.abs(offMs)) {
  const plan = queuePlan({ workers: { running: 0, requestsPerWindow: 0 }, ...options })
  const { send, clock, now, close } = createVirtualTarget(target)
  const points = await driveOpenLoop({ plan, send, clock, now, patienceMs: 1000 })
  close()
  const recorded = points.map((point, n) => {
    const byMs = n % 2 === 0 ? -offMs : offMs
    return { ...point, sentMs: point.sentMs + byMs - errorMs, receivedMs: point.receivedMs + byMs + errorMs }
  })
  return analyseByClocks(recorded, plan, errorMs)
}

describe.each([-400, -30, 30, 400])('clocks that are %i ms off', (offMs) => {
  test.each(limiterKindNames)('make no legal limiter fail: %s', async (kind) => {
    for (const options of plans) {
      for (const { verdict, sentence } of await verdicts({ kind, offsetMs: 777 }, options, offMs)) {
        expect({ sentence, failed: verdict === 'failed' }).toEqual({ sentence, failed: false })
      }
    }
  })
})

const none = () => 1_000_000

test.each<[string, TargetOptions, QueuePlanOptions]>([
  ['no limit', { requests: none }, { operation: 'cancel', shape: 'over' }],
  ['half the limit', { requests: (count) => count / 2 }, { operation: 'cancel', shape: 'under' }],
  ['double the limit', { requests: (count) => count * 2 }, { operation: 'requests', shape: 'over' }],
  ['503 in place of 429', { refusal: 503 }, { operation: 'cancel', shape: 'over' }],
])('%s is caught by clocks that are 30 ms off', async (_, defect, options) => {
  for (const kind of limiterKindNames) {
    const told = await verdicts({ kind, offsetMs: 777, ...defect }, options, 30)
    expect(told.map(({ verdict }) => verdict)).toContain('failed')
  }
})

test('clocks that may be more than a twentieth of a window off leave all undecided', async () => {
  const told = await verdicts({ requests: none }, { operation: 'cancel', shape: 'over' }, 0, 501)
  expect(told.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'inconclusive'])
  expect(told[0]?.sentence).toMatch(
    /^the clocks of its machines may be 501 ms off, .* contradict each other; a window is 10,000 ms$/,
  )
})

test('errors fail only if they come beyond the limit by whatever the clocks are off', () => {
  const plan = queuePlan({ operation: 'cancel', shape: 'over', workers: { running: 0, requestsPerWindow: 0 } })
  // 96 are served in each window, and errors come beside them.
  const recorded = (errorMs: number) =>
    Array.from({ length: 300 }, (_, n) => {
      const isError = n >= 200
      const atMs = isError ? (n - 100) * 104 + 60 : n * 104
      const moments = { sentMs: atMs - errorMs, receivedMs: atMs + 1 + errorMs }
      return { operation: 'cancel', status: isError ? 503 : 200, kind: 'answer', ...moments } as const
    })
  expect(analyse(recorded(200), plan)[1]).toMatchObject({ rule: 'limits.queue.status-429', verdict: 'failed' })
  expect(analyseByClocks(recorded(200), plan, 200)[1]).toMatchObject({
    verdict: 'inconclusive',
    sentence: expect.stringMatching(/beyond the limit, .* or not, as the clocks of its machines may be 200 ms off$/),
  })
})
