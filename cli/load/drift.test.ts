import { expect, test } from 'vitest'
import { randomFrom } from '../../harness/common/random.ts'
import { divideIntoWindows } from '../../load/mixed/windows.ts'
import type { Point } from '../../load/points.ts'
import { driftIn, soakWindows } from './drift.ts'

const secondsOfAWindow = 10
const forMs = soakWindows * secondsOfAWindow * 1000

interface Server {
  /** Median latency at a share of the soak, ms. */
  readonly ms?: (share: number) => number
  readonly noise?: number
  /** Share of the submitted jobs that stay. */
  readonly left?: number
  readonly failed?: (share: number) => boolean
}

/** A soak of a server: a job and a look at /health each second. */
function soak(seed: number, server: Server) {
  const { ms = () => 20, noise = 0.1, left = 0, failed = () => false } = server
  const random = randomFrom(seed, 'soak')
  const points = Array.from({ length: forMs / 1000 }, (_, second): Point[] => {
    const share = (second * 1000) / forMs
    const sentMs = second * 1000
    const latency = () => ms(share) * Math.exp(noise * (random() + random() - 1))
    const of = (operation: string, unfinished?: number): Point => ({
      ...{ operation, sentMs, receivedMs: sentMs + latency(), kind: 'answer', status: failed(share) ? 500 : 200 },
      ...(unfinished !== undefined && { unfinished }),
    })
    return [of('run'), of('health', Math.round(10 + 2 * random() + left * second))]
  }).flat()
  const windows = divideIntoWindows(points, { forMs, leadMs: 0, mix: { run: 1, health: 1 } }, soakWindows)
  const answers = driftIn(windows, { seed, tolerance: 0.1 })
  return answers
    .filter(({ kind }) => kind !== 'no difference')
    .map((one) => `${one.operation} ${one.measure} ${one.kind}`)
}

const seeds = Array.from({ length: 20 }, (_, seed) => seed)

test('a steady server has no drift', () => {
  expect(seeds.flatMap((seed) => soak(seed, {}))).toEqual([])
})

test('a server that becomes a third slower is found', () => {
  const found = seeds.map((seed) => soak(seed, { ms: (share) => 20 * (1 + share / 3) }))
  expect(found).toEqual(seeds.map(() => expect.arrayContaining(['run latency worse', 'health latency worse'])))
})

test.each([
  ['every second job stays', { left: 0.5 }, ['health unfinished worse']],
  ['one job in fifty stays', { left: 0.02 }, []],
  [
    'errors begin',
    { failed: (share: number) => share > 0.6 && Math.round((share * forMs) / 1000) % 2 === 0 },
    ['all operations errors worse', 'health errors worse', 'run errors worse'],
  ],
])('%s', (_, server, found) => expect(soak(1, server)).toEqual(found))

test('noise is too noisy to say', () => {
  expect(soak(1, { noise: 3 })).toContain('run latency too noisy to say')
})
