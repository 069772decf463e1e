import { areaOf } from '../harness/common/areas.ts'
import type { Judgement } from '../harness/run/judge.ts'
import { type Dimension, dimensions } from '../harness/variation/dimensions.ts'
import { createCrew } from './crew.ts'
import { type Catalog, everything, type Job } from './jobs.ts'
import type { ProofProgress } from './judged.ts'
import { rulesOf } from './plan.ts'
import type { Defect } from './types.ts'

export interface DrawsResult {
  readonly seeds: number
  readonly missed: readonly Missed[]
  /** For each defect that only some values show, in how many of the runs a rule that can find it drew them. */
  readonly chances: readonly { readonly defect: string; readonly drawnBy: number }[]
}

/** Values of a dimension that no rule of an area drew, although some of its rules name the dimension. */
export interface Missed {
  readonly seed: number
  readonly area: string
  readonly dimension: Dimension
  readonly values: readonly string[]
}

/** Drawn on a real clock only; the reference has a controlled one. */
const onRealClock: ReadonlySet<Dimension> = new Set(['look'])

/** A rule lists these values itself, and a run that is not sparing has every branch and part. */
const listedByRules: ReadonlySet<Dimension> = new Set(['sample', 'branch', 'part'])

/** Judges the reference with each seed from 1 to `seeds`, and counts what its rules draw. */
export async function countDraws(seeds: number, onProgress: (progress: ProofProgress) => void): Promise<DrawsResult> {
  const catalog = everything()
  const all = rulesOf(catalog, [])
  const jobs = Array.from(
    { length: seeds },
    (_, at): Job => ({ kind: 'reference', id: `seed ${at + 1}`, rules: all, wanted: all, seed: at + 1 }),
  )
  const crew = createCrew({})
  let done = 0
  const runs = await crew
    .run(jobs, ({ id }) => onProgress({ done: ++done, total: seeds, what: id }))
    .finally(crew.close)
  return {
    seeds,
    missed: runs.flatMap((judgements, at) => missedBy(judgements, catalog, at + 1)),
    chances: catalog.defects
      .filter(({ variation }) => variation !== undefined)
      .map((defect) => ({ defect: defect.id, drawnBy: runs.filter((run) => draws(run, defect)).length }))
      .toSorted((a, b) => a.drawnBy - b.drawnBy),
  }
}

/** Values that a run of all rules with this seed did not draw. */
export function missedBy(judgements: readonly Judgement[], { rules }: Pick<Catalog, 'rules'>, seed: number): Missed[] {
  const naming = rules.flatMap((rule) =>
    rule.kind === 'scenario' ? (rule.varies ?? []).map((dimension) => ({ area: areaOf(rule.id), dimension })) : [],
  )
  const named = new Map(naming.map((one) => [`${one.area} ${one.dimension}`, one]))
  return [...named.values()]
    .filter(({ dimension }) => !onRealClock.has(dimension) && !listedByRules.has(dimension))
    .map(({ area, dimension }) => {
      const inArea = judgements.filter(({ rule }) => areaOf(rule) === area)
      const drawn = new Set(inArea.flatMap(({ variation }) => variation[dimension] ?? []))
      return { seed, area, dimension, values: dimensions[dimension].filter((value) => !drawn.has(value)) }
    })
    .filter(({ values }) => values.length > 0)
}

/** Does a rule that can find the defect draw each value that it names? An invariant finds what any scenario shows. */
function draws(judgements: readonly Judgement[], { rule, tour, variation = {} }: Defect): boolean {
  const finding = new Set<string>([rule, ...(tour ?? [])])
  const wanted = Object.entries(variation) as [Dimension, string][]
  return judgements.some(
    (judgement) =>
      finding.has(judgement.rule) &&
      wanted.every(
        ([dimension, value]) => dimension === 'branch' || dimension === 'part' || drew(judgement, dimension, value),
      ),
  )
}

function drew({ variation }: Judgement, dimension: Dimension, value: string): boolean {
  const drawn = variation[dimension] ?? []
  // The values of `sample` are noted with the name of their class.
  return drawn.some((one) => one === value || (dimension === 'sample' && one.endsWith(`: ${value}`)))
}
