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

test('a response that does not come is waited for no longer than a second', async () => {
  const { send, drain } = drainable(() => new Promise(() => {}))
  void send(request)
  expect(await drain()).toBeUndefined()
})
