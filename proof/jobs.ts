import '../suites/all.ts'
import { allRules, type Rule } from '../harness/rule/registry.ts'
import type { Judgement } from '../harness/run/judge.ts'
import type { Values } from '../harness/variation/dimensions.ts'
import { defects } from './defects/index.ts'
import { membersOf } from './groups.ts'
import { type Connect, judgeOn } from './judge.ts'
import { latitudes } from './latitudes/index.ts'
import { type MalformedCase, malformedVariant } from './malformed/change.ts'
import { deriveDefects } from './tables/index.ts'
import type { Defect, Latitude } from './types.ts'
import { vendorDefects } from './vendor-defects.ts'

/** Everything that is proven. */
export interface Catalog {
  readonly rules: readonly Rule[]
  readonly defects: readonly Defect[]
  readonly latitudes: readonly Latitude[]
}

/** One instance and the rules to judge on it: plain data, so that it can be handed to another thread. */
export interface Job {
  /**
   * `area`: the rules of a defect's area, which may name each other as the cause. `cause`: rules of another job, with those
   * by which they are blocked.
   */
  readonly kind: 'reference' | 'defect' | 'latitude' | 'area' | 'matrix' | 'malformed' | 'cause'
  /** Of the defect; of the latitudes, joined by `+`; else a name for progress. */
  readonly id: string
  readonly malformed?: MalformedCase
  /** The seed that variations are drawn from; 1 unless given. */
  readonly seed?: number
  /** Values of dimensions, in place of those that the seed draws. */
  readonly given?: Values | undefined
  readonly rules: readonly string[]
  /** Ids of the judgements that are asked for; the other rules only make exchanges. */
  readonly wanted: readonly string[]
}

/** A job with what it asked for. */
export interface Outcome {
  readonly job: Job
  readonly judgements: readonly Judgement[]
}

/** The rules, defects and latitudes of the project. */
export function everything(): Catalog {
  return { rules: allRules(), defects, latitudes }
}

/**
 * The same with the defects of a vendor, written and derived from tables; its rules are registered. Without latitudes: a vendor
 * may promise more than the description.
 */
export function withVendor(isOfVendor: (rule: string) => boolean): Catalog {
  const all = everything()
  return { ...all, latitudes: [], defects: [...all.defects, ...vendorDefects, ...deriveDefects(isOfVendor)] }
}

/** The judgements that a job asks for, sorted by rule; on an instance in this process unless `connect` is given. */
export async function runJob(job: Job, catalog: Catalog, connect?: Connect): Promise<Judgement[]> {
  const running = new Set(job.rules)
  const asked = new Set(job.wanted)
  const { defects, latitudes } = catalog
  const judgements = await judgeOn({
    variants: job.malformed ? [malformedVariant(job.malformed)] : membersOf(job.id, [...defects, ...latitudes]),
    connect,
    ...(job.seed === undefined ? {} : { seed: job.seed }),
    given: job.given,
    rules: catalog.rules.filter(({ id }) => running.has(id)),
  })
  return judgements.filter(({ rule }) => asked.has(rule)).sort((a, b) => (a.rule < b.rule ? -1 : 1))
}
