import { describe, expect, test } from 'vitest'
import { createOperationLimiter } from './operation-limiter.ts'
import { type LimiterKind, limiterKindNames } from './windows.ts'

const three = { requests: 3, windowSeconds: 10, concurrent: null }

/** The fate of requests at these moments: `+` if admitted, otherwise the milliseconds until it may come again. */
function fates(kind: LimiterKind, momentsMs: readonly number[], offsetMs = 0): string {
  const limiter = createOperationLimiter({ rate: three, kind, offsetMs })
  return momentsMs
    .map((nowMs) => limiter.admit(nowMs))
    .map((admission) => (admission.admitted ? '+' : String(admission.retryAfterMs)))
    .join(' ')
}

const burst = [8000, 8000, 8000, 8000]

test.each([
  ['fixed-window', [...burst, 9999, 10_000, 10_000, 10_000, 10_000], 0, '+ + + 2000 1 + + + 10000'],
  ['fixed-window', [...burst, 12_999, 13_000], 3000, '+ + + 5000 1 +'],
  ['first-request-window', [...burst, 17_999, 18_000, 18_000, 18_000, 27_999], 0, '+ + + 10000 1 + + + 1'],
  ['sliding-log', [5000, 8000, 9000, 9000, 14_999, 15_000, 15_000, 18_000], 0, '+ + + 6000 1 + 3000 +'],
  ['sliding-counter', [...burst, 10_000, 13_333, 13_334, 16_667], 0, '+ + + 5334 3334 1 + +'],
  ['sliding-counter', [...burst, 25_000, 25_000, 25_000, 30_000], 0, '+ + + 5334 + + + 3334'],
  ['token-bucket', [...burst, 11_333, 11_334, 11_334, 18_000, 18_000, 18_000], 0, '+ + + 3334 1 + 3333 + + 3334'],
  ['gcra', [...burst, 11_333, 11_334, 11_334, 18_000, 18_000, 18_000], 0, '+ + + 3334 1 + 3333 + + 3334'],
] as const)('%s at %j, beginning at %i: %s', (kind, momentsMs, offsetMs, expected) => {
  expect(fates(kind, momentsMs, offsetMs)).toBe(expected)
})

describe.each(limiterKindNames)('%s', (kind) => {
  test.each([2, 3, 10, 1000])(
    'lets in %i a window when evenly paced at the limit, and the rest of a burst not',
    (n) => {
      const rate = { requests: n, windowSeconds: 10, concurrent: null }
      const limiter = createOperationLimiter({ rate, kind, windowScale: 0.5 })
      // A sliding counter rounds against the caller where few requests are counted, so the pace leaves one out.
      const paceMs = 5000 / Math.max(1, n - 1)
      const evenly = Array.from({ length: 4 * n }, (_, k) => limiter.admit(Math.ceil(k * paceMs)).admitted)
      expect(evenly).not.toContain(false)
      const quietMs = 10 * 5000 + 4 * n * paceMs
      const together = Array.from({ length: 3 * n }, () => limiter.admit(quietMs).admitted)
      expect(together.filter(Boolean)).toHaveLength(n)
    },
  )

  test('does not count what it refuses, and is honest about when to come again', () => {
    const limiter = createOperationLimiter({ rate: three, kind, offsetMs: 777 })
    let nowMs = 12_345
    for (let round = 0; round < 200; round++) {
      const admission = limiter.admit(nowMs)
      if (!admission.admitted) {
        for (let n = 0; n < 5; n++) limiter.admit(nowMs + (admission.retryAfterMs * n) / 10)
        nowMs += admission.retryAfterMs
        expect(limiter.admit(nowMs).admitted).toBe(true)
      }
      nowMs += (round * 7919) % 2500
    }
  })

  test('the higher of the base and what the workers allow counts', () => {
    let allowed = 1
    const limiter = createOperationLimiter({ rate: three, kind, workersAllow: () => allowed })
    const admitted = (nowMs: number) =>
      Array.from({ length: 9 }, () => limiter.admit(nowMs).admitted).filter(Boolean).length
    expect(admitted(100_000)).toBe(3)
    allowed = 5
    expect(admitted(200_000)).toBe(5)
  })
})

test('no more than the stated number are under way at once; a refusal takes neither a place nor a request', () => {
  const limiter = createOperationLimiter({ rate: { requests: 3, windowSeconds: 10, concurrent: 2 } })
  const first = limiter.admit(0)
  expect(limiter.admit(0)).toMatchObject({ admitted: true })
  expect(limiter.admit(0)).toEqual({ admitted: false, retryAfterMs: 10_000 })
  if (first.admitted) {
    first.release()
    first.release()
  }
  expect(limiter.admit(1)).toMatchObject({ admitted: true })
  expect(limiter.admit(1)).toMatchObject({ admitted: false })
})

test('a window of no length is refused', () => {
  expect(() => createOperationLimiter({ rate: three, windowScale: 0 })).toThrow('windowScale')
})
