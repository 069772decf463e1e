import { expect, test } from 'vitest'
import type { WireRequest, WireResponse } from '../exchange/exchange.ts'
import { drainable } from './drain.ts'

const request: WireRequest = { method: 'POST', url: 'http://api.test/jobs', headers: [], body: null }
const response: WireResponse = { status: 200, headers: [], body: new Uint8Array() }

test('what is under way is answered, and nothing more is sent', async () => {
  const answers: ((answer: WireResponse) => void)[] = []
  const { send, drain } = drainable(() => new Promise((resolve) => answers.push(resolve)))
  const first = send(request)
  const drained = drain()
  void send(request)
  expect(answers).toHaveLength(1)
  answers[0]?.(response)
  await drained
  expect(await first).toBe(response)
})

test.each([
  ['a response that does not come is not waited for without end', 'POST', 10],
  ['a read is not waited for', 'GET', 60_000],
])('%s', async (_, method, longestMs) => {
  const { send, drain } = drainable(() => new Promise(() => {}), longestMs)
  void send({ ...request, method })
  expect(await drain()).toBeUndefined()
})
