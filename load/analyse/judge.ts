import type { QueuePlan } from '../plan/types.ts'
import type { Point } from '../points.ts'
import type { LoadVerdict } from './verdict.ts'

/** The input of every judge of queue load. */
export interface Case {
  readonly plan: QueuePlan
  readonly points: readonly Point[]
  /** When the first request was sent; sentences count from it. */
  readonly beganMs: number
}

export type Ruling = Pick<LoadVerdict, 'verdict' | 'sentence'>

export const passed = (sentence: string): Ruling => ({ verdict: 'passed', sentence })
export const failed = (sentence: string): Ruling => ({ verdict: 'failed', sentence })
export const unclear = (sentence: string): Ruling => ({ verdict: 'inconclusive', sentence })
