import { expect, test } from 'vitest'
import { validators } from '../../generated/validators.ts'
import { bytesOf } from '../../harness/client/body.ts'
import { jsonOf } from '../../harness/exchange/exchange.ts'
import { allWrongBodies } from './action-bodies.ts'

const texts = allWrongBodies('stop').map(
  ({ body }) => [Buffer.from(bytesOf(body) ?? []).toString('latin1'), body] as const,
)

test.each(texts)('the body "%s" is no valid action', (_, body) => {
  const value = jsonOf(bytesOf(body) ?? new Uint8Array())
  expect(value !== undefined && validators.PodActionRequest(value)).toBe(false)
})

test('no two bodies are alike, whichever the action', () => {
  const all = [
    ...texts,
    ...allWrongBodies('terminate').map(({ body }) => [Buffer.from(bytesOf(body) ?? []).toString('latin1')]),
  ]
  const naming = all.map(([text]) => text).filter((text) => /stop|terminate/i.test(text))
  expect(new Set(naming).size).toBe(naming.length)
})
