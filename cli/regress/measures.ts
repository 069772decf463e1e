import { levelOf, type Measure } from '../shared/comparison/compare.ts'
import { minPairs } from '../shared/comparison/statistics.ts'

/** The values of one operation on one side in one round; null if no request succeeded. */
export type Round = {
  /** Median latency of requests one after the other, real ms. */
  readonly alone: number | null
  /** Median latency of requests with several open, real ms. */
  readonly load: number | null
  /** Successful requests per second while several are open. */
  readonly throughput: number | null
  /** Share of requests without a response, or with one that is neither a success nor 429. */
  readonly errors: number
  /** Share of requests that were answered 429. */
  readonly limited: number
}

export const measures: Readonly<Record<keyof Round, Measure>> = {
  alone: { title: 'latency alone' },
  load: { title: 'latency under load' },
  throughput: { title: 'throughput', isInverse: true },
  errors: { title: 'errors', isShare: true },
  limited: { title: '429', isShare: true },
}

export const measuresOf = () => measures

/** The fewest rounds that can find a difference in so many operations, which are also compared all together. */
export function minRounds(operations: number): number {
  return minPairs(levelOf((operations === 1 ? 1 : operations + 1) * Object.keys(measures).length))
}
