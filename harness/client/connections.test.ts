import { expect, test } from 'vitest'
import type { Exchange, WireRequest } from '../exchange/exchange.ts'
import type { Outgoing } from './channel.ts'
import { createConnections } from './connections.ts'

test('a response is out of step after a request that had its response first, but ends for its sender later', async () => {
  const connections = createConnections(async () => true)
  const refused = exchange(1, 401)
  const misread = exchange(2, 400)
  const outgoing = { operation: 'runJob', key: null, body: '{}' } as unknown as Outgoing
  connections.follow(misread.request, refused.request)
  expect(connections.before(misread.request)).toBeUndefined()
  connections.end(refused, outgoing)
  expect(connections.before(misread.request)).toBe(1)
  expect(await connections.end(misread, outgoing)).toBe(true)
})

test.each([
  [404, 1],
  [409, 0],
])(
  'a refusal with %i leads to %i trials: an action that was refused may be permitted by then',
  async (status, trials) => {
    let tried = 0
    const connections = createConnections(async () => {
      tried++
      return false
    })
    const [refused, misread] = [exchange(1, status), exchange(2, 400)]
    const outgoing = {
      operation: 'triggerPodAction',
      key: 'full',
      body: '{}',
      mustBeRefused: true,
    } as unknown as Outgoing
    connections.follow(misread.request, refused.request)
    connections.end(refused, outgoing)
    await connections.end(misread, outgoing)
    expect(tried).toBe(trials)
  },
)

function exchange(n: number, status: number): Exchange {
  const request = { method: 'POST', url: 'http://127.0.0.1/', headers: [], body: null } satisfies WireRequest
  return { n, owner: 'rule', request, response: { status, headers: [], body: new Uint8Array() } } as unknown as Exchange
}
