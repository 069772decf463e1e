import { type RuleId, rules } from '../../generated/rules.ts'

/** True for a rule about the limits of the queue plane. */
export const isOfQueue = (id: RuleId): id is QueueLoadRule => id.startsWith('limits.queue.')

type QueueLoadRule = Extract<RuleId, `limits.queue.${string}`>

/** The rules of the queue plane that recorded load decides: all about its limits. */
export const queueLoadRules: readonly QueueLoadRule[] = rules.map(({ id }) => id).filter(isOfQueue)

/** The rules of the pod plane that recorded load decides and no suite does. */
export const podLoadRules = [
  'limits.pods.exceeded',
  'limits.pods.retry-after',
  'limits.pods.retry-after-honest',
  'limits.pods.retry-after-needed',
  'limits.pods.retry-after-covers',
  'limits.pods.rejected-not-executed',
] as const satisfies readonly RuleId[]

/** A rule that recorded load can decide: those above, and one that the suites judge as well. */
export type LoadRule = QueueLoadRule | (typeof podLoadRules)[number] | 'limits.pods.headers-on-success'

/** Rows that load judges instead of a function in suites/; `check` leaves them out. */
export const judgedByLoad: ReadonlySet<string> = new Set<string>([...queueLoadRules, ...podLoadRules])
