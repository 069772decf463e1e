import { allOperations, levelOf, type Measure, type Measures } from '../shared/comparison/compare.ts'
import { minPairs } from '../shared/comparison/statistics.ts'
import type { JobTimes } from './jobs.ts'

/** The values of one operation on one side in one round; null if no request succeeded. */
export type Round = {
  /** Median latency of requests one after the other, real ms. */
  readonly alone: number | null
  /** Median latency of requests with several open, real ms. */
  readonly load: number | null
  /** Successful requests per second that were completed at a fixed rate of starts. */
  readonly throughput: number | null
  /** Share of requests without a response, or with one that is neither a success nor 429. */
  readonly errors: number
  /** Share of requests that were answered 429. */
  readonly limited: number
}

const common: Readonly<Record<keyof Round, Measure>> = {
  alone: { title: 'latency alone' },
  load: { title: 'latency under load' },
  throughput: { title: 'throughput', isInverse: true },
  errors: { title: 'errors', isShare: true },
  limited: { title: '429', isShare: true },
}

/** Shorter times of jobs count as this, ms. Targets report whole milliseconds, and one of them is then at most the usual tolerance. */
const minJobMs = 20

const ofJobs: Readonly<Record<keyof JobTimes, Measure>> = {
  queued: { title: 'time of a job in the queue', minValue: minJobMs, reportedWith: 'completed' },
  executed: { title: 'time of a job in a worker', minValue: minJobMs, reportedWith: 'completed' },
  completed: { title: 'time until a job is COMPLETED' },
}

/** The measures of an operation, or of all together. */
export function measuresOf(operation: string): Measures {
  return operation === 'runJob' ? { ...common, ...ofJobs } : common
}

/** The fewest rounds that can find a difference in these operations, which are also compared all together. */
export function minRounds(operations: readonly string[]): number {
  const compared = operations.length === 1 ? operations : [allOperations, ...operations]
  return minPairs(levelOf(compared.flatMap((operation) => Object.keys(measuresOf(operation))).length))
}
