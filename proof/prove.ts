import { subjectOf } from '../harness/common/areas.ts'
import type { Judgement } from '../harness/run/judge.ts'
import type { Verdict } from '../verdicts/verdicts.ts'
import { compareDefect, compareReference } from './compare.ts'
import { unkilledClauses, unknownClauses, unprovenReadings } from './coverage.ts'
import { createCrew } from './crew.ts'
import { missedBy } from './draw-counts.ts'
import { rulesWithoutDefect } from './gates.ts'
import { type Catalog, everything, type Job } from './jobs.ts'
import { judgeAll, type ProofProgress } from './judged.ts'
import { planJobs, rulesOf } from './plan.ts'
import { type MatrixRow, type ProofResult, proofFaults } from './result.ts'
import { type Sample, sampleOf } from './sample.ts'
import { type SeedsThatFind, seedsThatFind } from './seeds-that-find.ts'
import type { Defect } from './types.ts'

export interface ProveOptions {
  /** A pattern for ids of defects, latitudes or rules; default: everything. */
  readonly only?: readonly string[]
  /** Judges every rule on every defect as well. */
  readonly matrix?: boolean
  readonly onProgress?: (progress: ProofProgress) => void
  readonly catalog?: Catalog
  /** URL of a module whose `connect` makes the instances; default: they are in process. */
  readonly through?: string
  /** Judges only some defects, and their rules on some latitudes. */
  readonly sample?: Sample
}

/**
 * Proves that every rule can fail and that none fails wrongly: each defect with its own rule, every rule on each
 * latitude, and the reference itself, each on an instance of its own.
 * @throws NothingMatches if `only` matches nothing.
 */
export async function prove(options: ProveOptions = {}): Promise<ProofResult> {
  const { matrix = false, through, sample, onProgress = () => {} } = options
  const whole = options.catalog ?? everything()
  const { catalog, only } =
    sample === undefined ? { catalog: whole, only: options.only ?? [] } : sampleOf(whole, sample)
  const crew = createCrew({ catalog: options.catalog, through })
  try {
    const judged = await judgeAll(planJobs(catalog, only, matrix), catalog, crew, onProgress)
    const { outcomes, reference, latitudes, falseExcuses } = judged
    const byId = (kind: Job['kind']) =>
      new Map(outcomes.flatMap(({ job, judgements }) => (job.kind === kind ? [[job.id, judgements]] : [])))
    const [onDefects, inMatrix] = [byId('defect'), byId('matrix')]
    const tried = catalog.defects.filter(({ id }) => onDefects.has(id))
    // The seeds draw the same values wherever an instance is.
    const seeds: SeedsThatFind = through === undefined ? await seedsThatFind(tried, catalog, crew) : new Map()
    const defects = tried.map((defect) => {
      const seed = seeds.get(defect.id)
      const result = compareDefect(defect, onDefects.get(defect.id)?.[0])
      return seed === undefined ? result : { ...result, seed }
    })
    // Other defects than those of a sample may kill the other clauses of its rules.
    const complete = new Set(sample === undefined ? rulesOf(catalog, only) : [])
    const right = [reference, ...byId('latitude').values()]
    const result = {
      defects,
      latitudes,
      reference: { failed: compareReference(reference) },
      withoutDefect: rulesWithoutDefect(catalog).filter((rule) => complete.has(rule)),
      unkilledClauses: unkilledClauses(right, defects).filter(({ rule }) => complete.has(rule)),
      unknownClauses: unknownClauses(
        outcomes.map(({ judgements }) => judgements),
        defects,
      ).map(({ id }) => id),
      // Only latitudes show other readings.
      unproven: (catalog.latitudes.length === 0 ? [] : unprovenReadings(right)).filter(({ rule }) =>
        complete.has(rule),
      ),
      falseExcuses,
      undrawn: complete.size === whole.rules.length ? missedBy(reference, catalog, 1) : [],
      matrix: matrix ? tried.map((defect) => rowOf(defect, inMatrix.get(defect.id) ?? [])) : null,
    }
    return { ...result, proven: proofFaults(result).length === 0 }
  } finally {
    await crew.close()
  }
}

function rowOf({ id, rule, variation }: Defect, judgements: readonly Judgement[]): MatrixRow {
  const idsOf = (...verdicts: readonly Verdict[]) =>
    judgements.filter(({ verdict }) => verdicts.includes(verdict)).map(({ rule }) => rule)
  const undecided = (verdict: Verdict) =>
    judgements
      .filter((judgement) => judgement.verdict === verdict)
      .map(({ rule, by, reason }) => ({ rule, reason: [by, reason].filter((text) => text !== null).join(': ') }))
  const failed = idsOf('failed', 'advice')
  const unrelated = failed.filter((one) => subjectOf(one) !== subjectOf(rule))
  return {
    id,
    rule,
    unrelated,
    isMisattributed: unrelated.length > 0 && !failed.includes(rule) && variation === undefined,
    failed,
    broken: idsOf('broken'),
    blocked: undecided('blocked'),
    inconclusive: undecided('inconclusive'),
  }
}
