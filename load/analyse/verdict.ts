import type { RateOperation } from '../../generated/tables.ts'
import type { LoadRule } from '../../harness/rule/load-rules.ts'
import type { QueuePlan, Shape } from '../plan/types.ts'
import type { Points } from '../points.ts'

/** The verdict of one shape of load on one rule. */
export interface LoadVerdict {
  readonly rule: LoadRule
  readonly shape: Shape
  readonly operation: RateOperation | 'pods'
  readonly verdict: 'passed' | 'failed' | 'inconclusive'
  /** One sentence, with the numbers that decide. Moments in it count from the first request. */
  readonly sentence: string
}

/** The input of every judge of queue load. */
export interface Case {
  readonly plan: QueuePlan
  readonly points: Points
  /** When the first request was sent; sentences count from it. */
  readonly beganMs: number
}

export type Ruling = Pick<LoadVerdict, 'verdict' | 'sentence'>

export const passed = (sentence: string): Ruling => ({ verdict: 'passed', sentence })
export const failed = (sentence: string): Ruling => ({ verdict: 'failed', sentence })
export const unclear = (sentence: string): Ruling => ({ verdict: 'inconclusive', sentence })

export function milliseconds(ms: number): string {
  return `${Math.round(ms).toLocaleString('en')} ms`
}
