import type { Judgement } from '../suites/harness/run/judge.ts'
import { compareDefect, compareLatitude, compareReference, type DefectResult, type Mismatch } from './compare.ts'
import { type RuleClause, type Unproven, unkilledClauses, unknownClauses, unprovenReadings } from './coverage.ts'
import { runJobs } from './crew.ts'
import { type Catalog, everything, type Job } from './jobs.ts'
import { planJobs } from './plan.ts'

export interface ProveOptions {
  /** A pattern for ids of defects, latitudes or rules; default: everything. */
  readonly only?: string
  /** Judges every rule on every defect. */
  readonly matrix?: boolean
  readonly onProgress?: (progress: ProofProgress) => void
  readonly catalog?: Catalog
}

export interface ProofProgress {
  readonly done: number
  readonly total: number
  /** What was proven last: the id of a defect or latitude, or `reference`. */
  readonly what: string
}

export interface ProofResult {
  readonly defects: readonly DefectResult[]
  readonly latitudes: readonly { readonly id: string; readonly failed: readonly Mismatch[] }[]
  readonly reference: { readonly failed: readonly Mismatch[] }
  /** Clauses that no defect kills; told only of rules whose defects were all tried. */
  readonly unkilledClauses: readonly RuleClause[]
  /** Defects whose rule has no such clause. */
  readonly unknownClauses: readonly string[]
  readonly unproven: readonly Unproven[]
  /** A row for each defect: the rules that failed on it; null unless asked for. */
  readonly matrix: readonly { readonly id: string; readonly failed: readonly string[] }[] | null
  /** Whether all of it is as it should be. */
  readonly proven: boolean
}

/**
 * Proves that every rule can fail and that none fails wrongly: each defect with its own rule, every rule on each
 * latitude, and the reference itself, each on an instance of its own.
 * @throws NothingMatches where `only` matches nothing.
 */
export async function prove(options: ProveOptions = {}): Promise<ProofResult> {
  const { only = null, matrix = false, onProgress } = options
  const catalog = options.catalog ?? everything()
  const jobs = planJobs(catalog, only, matrix)
  let done = 0
  const judgements = await runJobs(jobs, catalog, { isOwn: options.catalog === undefined }, ({ id }) =>
    onProgress?.({ done: ++done, total: jobs.length, what: id }),
  )
  return conclude(catalog, jobs, judgements, matrix)
}

function conclude(
  catalog: Catalog,
  jobs: readonly Job[],
  judgements: readonly Judgement[][],
  matrix: boolean,
): ProofResult {
  const seen = new Map(jobs.map((job, place) => [`${job.kind} ${job.id}`, judgements[place] ?? []]))
  const reference = seen.get('reference reference') ?? []
  const tried = catalog.defects.filter(({ id }) => seen.has(`defect ${id}`))
  const results = tried.map((defect) => {
    const own = seen.get(`defect ${defect.id}`)
    return compareDefect(
      defect,
      own?.find(({ rule }) => rule === defect.rule),
    )
  })
  const freedoms = catalog.latitudes.filter(({ id }) => seen.has(`latitude ${id}`))
  const told = freedoms.map((latitude) => ({
    id: latitude.id,
    failed: compareLatitude(latitude, seen.get(`latitude ${latitude.id}`) ?? [], reference),
  }))
  const right = [reference, ...freedoms.map(({ id }) => seen.get(`latitude ${id}`) ?? [])]
  const untried = new Set(catalog.defects.filter((defect) => !tried.includes(defect)).map(({ rule }) => rule as string))
  const isWhole = freedoms.length === catalog.latitudes.length
  const result = {
    defects: results,
    latitudes: told,
    reference: { failed: compareReference(reference) },
    unkilledClauses: unkilledClauses(right, results).filter(({ rule }) => !untried.has(rule)),
    unknownClauses: unknownClauses([...right, ...seen.values()], results).map(({ id }) => id),
    unproven: isWhole ? unprovenReadings(right) : [],
    matrix: matrix ? tried.map(({ id }) => ({ id, failed: failedIn(seen.get(`defect ${id}`) ?? []) })) : null,
  }
  return { ...result, proven: isProven(result) }
}

function failedIn(judgements: readonly Judgement[]): string[] {
  return judgements.filter(({ verdict }) => verdict === 'failed' || verdict === 'advice').map(({ rule }) => rule)
}

function isProven(result: Omit<ProofResult, 'proven'>): boolean {
  const wrong =
    result.defects.filter(({ killed }) => !killed).length +
    result.latitudes.filter(({ failed }) => failed.length > 0).length +
    result.reference.failed.length +
    result.unkilledClauses.length +
    result.unknownClauses.length +
    result.unproven.length
  return wrong === 0
}
