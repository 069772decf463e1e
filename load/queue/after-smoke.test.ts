import { expect, test } from 'vitest'
import type { RateOperation } from '../../generated/tables.ts'
import type { LoadRule } from '../../harness/rule/load-rules.ts'
import { referenceTarget } from '../../proof/instance.ts'
import type { Point } from '../points.ts'
import { planAfterSmoke, readSmoke } from './after-smoke.ts'
import { smokeSteps } from './steps.ts'

const { queue } = referenceTarget('https://reference.test', 'real')
if (queue === null) throw new Error('the reference has no queue plane')
const rules = new Set<LoadRule>(['limits.queue.run', 'limits.queue.per-operation'])
const scope = { queue, rules, windowScale: 1 }

test.each<[string, Partial<Record<RateOperation, number>>, string[]]>([
  ['all are served', {}, ['cancel', 'requests', 'runsync', 'openai']],
  ['those that are held have no response', { runsync: 0, openai: 0 }, ['cancel', 'requests', 'runsync', 'openai']],
  ['the job of /cancel has ended by itself', { cancel: 409 }, ['cancel', 'requests', 'runsync', 'openai']],
  ['one fails', { requests: 500 }, ['cancel', 'runsync', 'openai']],
  ['one that may be held fails', { openai: 502 }, ['cancel', 'requests', 'runsync']],
])('/run is exceeded beside others if %s', (_, statuses, expected) => {
  const { steps } = planAfterSmoke(smokeOf(statuses), scope)
  const isolation = steps.find(({ name }) => name === 'run-isolation')
  expect(isolation?.plan.neighbours.map(({ operation }) => operation)).toEqual(expected)
})

test('a rule is inconclusive if no other operation is served', () => {
  const { undecided } = planAfterSmoke(smokeOf({ cancel: 500, requests: 500, runsync: 500, openai: 500 }), scope)
  expect(undecided.get('limits.queue.per-operation')).toEqual({
    verdict: 'inconclusive',
    reason: expect.stringContaining('was answered 500 before any load'),
  })
})

/** A smoke whose operations are answered 200 unless another status is given; 0: no response. */
function smokeOf(statuses: Partial<Record<RateOperation, number>>) {
  const driven = smokeSteps(scope).map((step) => {
    const points = step.plan.stretches.map(({ operation, endpoint, startMs }): Point => {
      const status = statuses[operation] ?? 200
      const kind = status === 0 ? 'transport' : 'answer'
      return { operation, endpoint, sentMs: startMs, receivedMs: startMs, status, kind }
    })
    return { step, points, health: [] }
  })
  return readSmoke(driven, scope)
}
