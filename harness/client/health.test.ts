import { expect, test } from 'vitest'
import { TransportFailure } from '../transport/types.ts'
import type { Outgoing } from './channel.ts'
import { createHostHealth } from './health.ts'

const slowText = (count: number) => `https://api.test is too slow: ${count} requests in a row took more than 27s`

/** A host at which each request takes so many seconds, or is reset after them. */
function createHost(patienceMs = 0) {
  let nowMs = 0
  const over: string[] = []
  const health = createHostHealth({
    host: 'https://api.test',
    answerMs: 30_000,
    now: () => nowMs,
    patienceMs,
    onTooSlow: (reason) => over.push(reason),
  })
  return {
    over,
    /** Real ms so far. */
    passed: () => nowMs,
    pass(seconds: number): void {
      nowMs += seconds * 1_000
    },
    /** The outcome of a request: `sent`, or the reason why not. */
    async send(
      seconds: number,
      more: { method?: string; takesTime?: boolean; isReset?: boolean } = {},
    ): Promise<string> {
      const { isReset = false, ...outgoing } = { method: 'GET', ...more }
      const transmit = async () => {
        nowMs += seconds * 1_000
        if (isReset || seconds >= 30) throw new TransportFailure(isReset ? 'reset' : 'timeout', 'sent')
        return { status: 200, headers: [], body: new Uint8Array() }
      }
      const pause = async (ms: number) => {
        nowMs += ms
      }
      const refusal = await health.admit(outgoing as Outgoing, pause)
      if (refusal !== null) return refusal
      return health.send(outgoing as Outgoing, transmit).then(
        () => 'sent',
        (error: Error) => error.message,
      )
    },
  }
}

test.each([
  ['without a complete response', 30],
  ['just within the tolerance', 28],
])('three reads in a row, each %s, give a host up, and one more for good', async (_, seconds) => {
  const { over, pass, send } = createHost()
  await send(1)
  for (let n = 0; n < 3; n++) expect(await send(seconds)).toBe('sent')
  expect(await send(seconds)).toBe('sent')
  expect(over).toEqual([slowText(3)])
  pass(6)
  expect(await send(1)).toBe(`not sent, because ${slowText(3)}`)
})

test('a host that is quick again when it is tried is not given up for good', async () => {
  const { over, pass, send } = createHost()
  for (let n = 0; n < 3; n++) await send(30)
  expect(await send(1, { takesTime: true })).toBe(`not sent, because ${slowText(3)}`)
  pass(6)
  expect(await send(1)).toBe('sent')
  expect(await send(1, { takesTime: true })).toBe('sent')
  expect(over).toEqual([])
})

test.each([
  ['creations', { method: 'POST' }, 28],
  ['held responses', { takesTime: true }, 28],
  ['reads that take half the tolerance', {}, 15],
])('%s give no host up, however many', async (_, more, seconds) => {
  const { over, send } = createHost()
  for (let n = 0; n < 20; n++) expect(await send(seconds, more)).toBe('sent')
  expect(over).toEqual([])
})

test('connections that are closed at once give a host up for a while, and end no rule', async () => {
  const { over, pass, send } = createHost()
  for (let n = 0; n < 8; n++) expect(await send(0, { isReset: true })).toBe('sent')
  expect(await send(1)).toBe('not sent, because 8 requests in a row had no response')
  pass(6)
  expect(await send(0, { isReset: true })).toBe('sent')
  pass(6)
  expect(await send(1, { takesTime: true })).toBe('sent')
  expect(over).toEqual([])
})

test('requests wait for a host that has just stopped, and no longer than that', async () => {
  const { passed, send } = createHost(3_000)
  for (let n = 0; n < 8; n++) await send(0, { isReset: true })
  expect([await send(0), passed()]).toEqual(['sent', 1_000])
  for (let n = 0; n < 8 + 3; n++) await send(0, { isReset: true })
  expect([await send(0), passed()]).toEqual(['not sent, because 8 requests in a row had no response', 4_000])
})
