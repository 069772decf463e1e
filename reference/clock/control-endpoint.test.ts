import { expect, test } from 'vitest'
import { createControlHandler } from './control-endpoint.ts'
import { createControlledClock } from './controlled.ts'
import { createRealClock } from './real.ts'
import type { ObservableClock } from './types.ts'

async function ask(clock: ObservableClock, method: string, body?: string) {
  const request = new Request('https://clock.test/', { method, ...(body === undefined ? {} : { body }) })
  const response = await createControlHandler(clock)(request)
  return { status: response.status, body: await response.json() }
}

test('GET answers the state, POST moves time and answers the state after it', async () => {
  const controlled = createControlledClock(1000)
  controlled.clock.schedule(1400, () => {})
  expect(await ask(controlled, 'GET')).toEqual({ status: 200, body: { nowMs: 1000, nextMs: 1400, busy: [], open: 0 } })
  const moved = await ask(controlled, 'POST', '{"advanceMs": 5000}')
  expect(moved).toEqual({ status: 200, body: { nowMs: 1400, nextMs: null, busy: [], open: 0 } })
})

test.each([
  '{"advanceMs": -1}',
  '{"advanceMs": 1.5}',
  '{"advanceMs": "1"}',
  '{"advanceMs": 1e300}',
  '{}',
  'null',
  '[]',
  '',
  '{"advanceMs": 1',
])('POST of %s is 400 and moves nothing', async (body) => {
  const controlled = createControlledClock(1000)
  expect(await ask(controlled, 'POST', body)).toMatchObject({ status: 400, body: { status: 400 } })
  expect(controlled.state().nowMs).toBe(1000)
})

test('a real clock can be read and not moved', async () => {
  const clock = createRealClock()
  expect(await ask(clock, 'GET')).toMatchObject({ status: 200, body: { nextMs: null, busy: [] } })
  expect(await ask(clock, 'POST', '{"advanceMs": 1}')).toMatchObject({ status: 409, body: { status: 409 } })
})

test('another method is 405', async () => {
  expect(await ask(createControlledClock(0), 'DELETE')).toMatchObject({ status: 405 })
})
