import type { QueuePlan } from '../plan/types.ts'
import type { Point } from '../points.ts'
import type { LoadRule } from './rules.ts'
import { type LoadVerdict, type Proof, proofOfAll } from './verdict.ts'

/** What every judge of queue load looks at. */
export interface Case {
  readonly plan: QueuePlan
  readonly points: readonly Point[]
  /** When the first request was sent; sentences count from it. */
  readonly beganMs: number
}

export type Ruling = Pick<LoadVerdict, 'verdict' | 'sentence'> & { readonly proof?: Proof }

/** A ruling as a verdict on a rule; without a proof of its own, all points are it. */
export function verdictOn(rule: LoadRule, { plan, points }: Case, { proof, ...ruling }: Ruling): LoadVerdict {
  return { rule, shape: plan.shape, operation: plan.limit.operation, ...ruling, proof: proof ?? proofOfAll(points) }
}
