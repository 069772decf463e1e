import { subjectOf } from '../harness/common/areas.ts'
import type { Judgement } from '../harness/run/judge.ts'
import type { Verdict } from '../verdicts/verdicts.ts'
import { compareDefect, compareReference, type DefectResult, type Mismatch } from './compare.ts'
import { type RuleClause, type Unproven, unkilledClauses, unknownClauses, unprovenReadings } from './coverage.ts'
import { createCrew } from './crew.ts'
import { type SeedsThatFind, seedsThatFind } from './drawn.ts'
import type { FalseExcuse } from './excuses.ts'
import { type Catalog, everything } from './jobs.ts'
import { type Judged, judgeAll, type ProofProgress } from './judged.ts'
import { planJobs, rulesOf } from './plan.ts'
import { drawn, type Sample } from './sample.ts'
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

/** The effect of one defect on all rules. */
export interface MatrixRow {
  /** Of the defect. */
  readonly id: string
  /** The rule of the defect. */
  readonly rule: string
  /** Failed rules of other subjects than the rule of the defect. */
  readonly unrelated: readonly string[]
  /** Rules of other subjects fail, and the rule of the defect does not, although no drawn value is needed. */
  readonly isMisattributed: boolean
  /** Rules that failed on it. */
  readonly failed: readonly string[]
  /** Rules that crashed on it: always a fault of the harness. */
  readonly broken: readonly string[]
  /** Rules that it left without a verdict, and why. */
  readonly blocked: readonly Undecided[]
  readonly inconclusive: readonly Undecided[]
}

export interface Undecided {
  readonly rule: string
  readonly reason: string
}

export interface ProofResult {
  readonly defects: readonly DefectResult[]
  readonly latitudes: Judged['latitudes']
  readonly reference: { readonly failed: readonly Mismatch[] }
  /** Clauses that no defect kills, of the rules that `only` takes. */
  readonly unkilledClauses: readonly RuleClause[]
  /** Defects whose rule has no such clause. */
  readonly unknownClauses: readonly string[]
  /** Of the rules that `only` takes. */
  readonly unproven: readonly Unproven[]
  /** Rules that are blocked by one that holds on the same instance. */
  readonly falseExcuses: readonly FalseExcuse[]
  /** A row for each defect; null unless asked for. */
  readonly matrix: readonly MatrixRow[] | null
  /** True if everything is as expected. */
  readonly proven: boolean
}

/**
 * Proves that every rule can fail and that none fails wrongly: each defect with its own rule, every rule on each
 * latitude, and the reference itself, each on an instance of its own.
 * @throws NothingMatches if `only` matches nothing.
 */
export async function prove(options: ProveOptions = {}): Promise<ProofResult> {
  const { matrix = false, through, sample, onProgress } = options
  const whole = options.catalog ?? everything()
  const { catalog, only } = sample === undefined ? { catalog: whole, only: options.only ?? [] } : drawn(whole, sample)
  const crew = createCrew({ isOwn: options.catalog === undefined, through })
  try {
    const judged = await judgeAll(planJobs(catalog, only, matrix), catalog, crew, onProgress)
    const tried = catalog.defects.filter(({ id }) => judged.of('defect', id) !== undefined)
    // The seeds draw the same values wherever an instance is.
    const seeds = through === undefined ? await seedsThatFind(tried, catalog, crew) : new Map()
    // Other defects than those of a sample may kill the other clauses of its rules.
    const complete = sample === undefined ? rulesOf(catalog, only) : []
    return conclude({ matrix, tried, judged, seeds, complete })
  } finally {
    await crew.close()
  }
}

/** Judgements of everything that was tried. */
interface Tried {
  readonly matrix: boolean
  readonly tried: readonly Defect[]
  readonly judged: Judged
  readonly seeds: SeedsThatFind
  /** Ids of the rules that were judged on all their defects. */
  readonly complete: readonly string[]
}

function conclude({ matrix, tried, judged, seeds, complete }: Tried): ProofResult {
  const { of, all, reference, onLatitudes, latitudes, falseExcuses } = judged
  const defects = tried.map((defect) => {
    const { id, rule } = defect
    const seed = seeds.get(id)
    const result = compareDefect(
      defect,
      of('defect', id)?.find((judgement) => judgement.rule === rule),
    )
    return seed === undefined ? result : { ...result, seed }
  })
  const right = [reference, ...onLatitudes]
  const whole = new Set(complete)
  const result = {
    defects,
    latitudes,
    reference: { failed: compareReference(reference) },
    unkilledClauses: unkilledClauses(right, defects).filter(({ rule }) => whole.has(rule)),
    unknownClauses: unknownClauses([...right, ...all], defects).map(({ id }) => id),
    unproven: unprovenReadings(right).filter(({ rule }) => whole.has(rule)),
    falseExcuses,
    matrix: matrix ? tried.map((defect) => rowOf(defect, of('matrix', defect.id) ?? [])) : null,
  }
  return { ...result, proven: isProven(result) }
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

function isProven(result: Omit<ProofResult, 'proven'>): boolean {
  const wrong =
    result.defects.filter(({ killed, seed }) => !killed || seed === null).length +
    result.latitudes.filter(({ failed }) => failed.length > 0).length +
    result.reference.failed.length +
    result.unkilledClauses.length +
    result.unknownClauses.length +
    result.unproven.length +
    result.falseExcuses.length +
    (result.matrix ?? []).filter(({ broken }) => broken.length > 0).length
  return wrong === 0
}
