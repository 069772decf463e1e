import { falseExcuses } from '../harness/run/excuses.ts'
import type { Catalog, Job, Outcome } from './jobs.ts'

/** A rule that ends blocked by one that holds on the same instance. */
export interface FalseExcuse {
  /** The defect or latitude, or `reference`. */
  readonly on: string
  readonly rule: string
  readonly by: string
  readonly reason: string | null
}

/**
 * The false excuses in the judgements of one instance. Excuses by the rule of a defect with a variation are left out: it
 * passes here only because it draws other values.
 */
export function excusesOn({ job, judgements }: Outcome, { defects }: Pick<Catalog, 'defects'>): FalseExcuse[] {
  const varied = defects.find(({ id, variation }) => id === job.id && variation !== undefined)
  return falseExcuses(judgements)
    .filter(({ by }) => by !== varied?.rule)
    .map(({ rule, by, reason }) => ({ on: job.id, rule, by: by ?? '', reason }))
}

/** The same job with the rules by which its rules are blocked, if some were not judged. */
export function causesOf({ job, judgements }: Outcome, { rules }: Pick<Catalog, 'rules'>): Job[] {
  const known = new Set<string>(rules.map(({ id }) => id))
  const judged = new Set(judgements.map(({ rule }) => rule))
  const excused = judgements.filter(({ by }) => by !== null && known.has(by) && !judged.has(by))
  if (excused.length === 0) return []
  const causes = excused.flatMap(({ by }) => by ?? [])
  const union = (ids: readonly string[]) => [...new Set([...ids, ...causes])]
  return [{ ...job, kind: 'cause', rules: union(job.rules), wanted: union(excused.map(({ rule }) => rule)) }]
}
