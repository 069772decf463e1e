import { expect, test } from 'vitest'
import type { HeaderPairs } from '../../harness/exchange/exchange.ts'
import { bodyTraces } from './answers.ts'

test.each<{ headers: HeaderPairs; body: string; traces: string | null }>([
  { headers: [], body: '', traces: null },
  { headers: [['Content-Length', '0']], body: '', traces: null },
  { headers: [['content-length', '17']], body: '', traces: 'Content-Length 17' },
  { headers: [['Transfer-Encoding', 'chunked']], body: '', traces: 'Transfer-Encoding chunked' },
  { headers: [['Content-Length', '2']], body: '{}', traces: 'a body of 2 bytes' },
])('$headers and "$body" tell of $traces', ({ headers, body, traces }) => {
  expect(bodyTraces({ headers, body: Buffer.from(body) })).toBe(traces)
})
