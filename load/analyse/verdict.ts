import type { RateOperation } from '../../generated/tables.ts'
import type { Shape } from '../plan/types.ts'
import type { LoadRule } from './rules.ts'

/** The verdict of one shape of load on one rule. */
export interface LoadVerdict {
  readonly rule: LoadRule
  readonly shape: Shape
  readonly operation: RateOperation | 'pods'
  readonly verdict: 'passed' | 'failed' | 'inconclusive'
  /** One sentence, with the numbers that decide. Moments in it count from the first request. */
  readonly sentence: string
}

export function milliseconds(ms: number): string {
  return `${Math.round(ms).toLocaleString('en')} ms`
}
