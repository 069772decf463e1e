import type { RuleId } from '../../generated/rules.ts'

/** The rules of the queue plane that recorded load decides. */
export const queueLoadRules = [
  'limits.queue.runsync',
  'limits.queue.run',
  'limits.queue.status',
  'limits.queue.stream',
  'limits.queue.cancel',
  'limits.queue.purge',
  'limits.queue.openai',
  'limits.queue.requests',
  'limits.queue.concurrent-runsync',
  'limits.queue.concurrent-run',
  'limits.queue.concurrent-status',
  'limits.queue.concurrent-stream',
  'limits.queue.concurrent-cancel',
  'limits.queue.concurrent-openai',
  'limits.queue.concurrent-requests',
  'limits.queue.concurrency-released',
  'limits.queue.recovers',
  'limits.queue.status-429',
  'limits.queue.per-operation',
  'limits.queue.per-endpoint',
] as const satisfies readonly RuleId[]

/** The rules of the pod plane that recorded load decides and no suite does. */
export const podLoadRules = [
  'limits.pods.exceeded',
  'limits.pods.retry-after',
  'limits.pods.retry-after-honest',
  'limits.pods.retry-after-needed',
] as const satisfies readonly RuleId[]

/** A rule that recorded load can decide: those above, and one that the suites judge as well. */
export type LoadRule =
  | (typeof queueLoadRules)[number]
  | (typeof podLoadRules)[number]
  | 'limits.pods.headers-on-success'

/** Rows whose judge stands here instead of a function in suites/; `check` leaves them out. */
export const judgedByLoad: ReadonlySet<string> = new Set([...queueLoadRules, ...podLoadRules])
