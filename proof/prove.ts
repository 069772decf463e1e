import type { Verdict } from '../harness/rule/outcome.ts'
import type { Judgement } from '../harness/run/judge.ts'
import {
  compareDefect,
  compareLatitude,
  compareReference,
  type DefectResult,
  lackingOf,
  type Mismatch,
} from './compare.ts'
import { type RuleClause, type Unproven, unkilledClauses, unknownClauses, unprovenReadings } from './coverage.ts'
import { runJobs } from './crew.ts'
import { membersOf, together } from './groups.ts'
import { type Catalog, everything, type Job } from './jobs.ts'
import { planJobs, rulesOf } from './plan.ts'

export interface ProveOptions {
  /** A pattern for ids of defects, latitudes or rules; default: everything. */
  readonly only?: readonly string[]
  /** Judges every rule on every defect as well. */
  readonly matrix?: boolean
  readonly onProgress?: (progress: ProofProgress) => void
  readonly catalog?: Catalog
}

/** What one defect does to all rules. */
export interface MatrixRow {
  /** Of the defect. */
  readonly id: string
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
  /** Clauses that no defect kills, of the rules that `only` takes. */
  readonly unkilledClauses: readonly RuleClause[]
  /** Defects whose rule has no such clause. */
  readonly unknownClauses: readonly string[]
  /** Of the rules that `only` takes. */
  readonly unproven: readonly Unproven[]
  /** A row for each defect; null unless asked for. */
  readonly matrix: readonly MatrixRow[] | null
  /** Whether all of it is as it should be. */
  readonly proven: boolean
}

/**
 * Proves that every rule can fail and that none fails wrongly: each defect with its own rule, every rule on each
 * latitude, and the reference itself, each on an instance of its own.
 * @throws NothingMatches where `only` matches nothing.
 */
export async function prove(options: ProveOptions = {}): Promise<ProofResult> {
  const { only = [], matrix = false, onProgress } = options
  const catalog = options.catalog ?? everything()
  const jobs = planJobs(catalog, only, { matrix })
  const seen: Judged = new Map()
  const judge = async (more: readonly Job[]) => {
    const total = seen.size + more.length
    let done = seen.size
    const judgements = await runJobs(more, catalog, { isOwn: options.catalog === undefined }, ({ id }) =>
      onProgress?.({ done: ++done, total, what: id }),
    )
    for (const [place, job] of more.entries()) seen.set(keyOf(job), judgements[place] ?? [])
  }
  await judge(jobs)
  const groups = jobs.filter(({ kind }) => kind === 'latitude')
  // A group that is judged otherwise is split, which shows whose fault it is.
  const members = groups
    .filter((job) => mismatchesOf(job, catalog, seen).length > 0)
    .flatMap((job) => apart(job, catalog))
  if (members.length > 0) await judge(members)
  return conclude(catalog, options, [...groups, ...members], seen)
}

/** Judgements by the kind and the id of their job. */
type Judged = Map<string, readonly Judgement[]>

const keyOf = ({ kind, id }: Pick<Job, 'kind' | 'id'>) => `${kind} ${id}`

/** The latitudes of a group, each as a job of its own; none for a latitude that is no group. */
function apart(job: Job, { latitudes }: Catalog): Job[] {
  const members = membersOf(job.id, latitudes)
  return members.length === 1 ? [] : members.map(({ id }) => ({ ...job, id }))
}

function mismatchesOf({ id }: Job, catalog: Catalog, seen: Judged): Mismatch[] {
  const latitude = together(membersOf(id, catalog.latitudes))
  const of = (kind: Job['kind'], id: string) => seen.get(keyOf({ kind, id })) ?? []
  return compareLatitude(latitude, of('latitude', id), of('reference', 'reference'), lackingOf(latitude, catalog))
}

function conclude(
  catalog: Catalog,
  { only = [], matrix = false }: ProveOptions,
  onLatitudes: readonly Job[],
  seen: Judged,
): ProofResult {
  const of = (kind: Job['kind'], id: string) => seen.get(keyOf({ kind, id }))
  const reference = of('reference', 'reference') ?? []
  const tried = catalog.defects.filter(({ id }) => of('defect', id) !== undefined)
  const defects = tried.map((defect) =>
    compareDefect(
      defect,
      of('defect', defect.id)?.find(({ rule }) => rule === defect.rule),
    ),
  )
  const right = [reference, ...onLatitudes.map(({ id }) => of('latitude', id) ?? [])]
  const whole = new Set(rulesOf(catalog, only))
  const result = {
    defects,
    latitudes: verdictsOn(catalog, onLatitudes, seen),
    reference: { failed: compareReference(reference) },
    unkilledClauses: unkilledClauses(right, defects).filter(({ rule }) => whole.has(rule)),
    unknownClauses: unknownClauses([...right, ...seen.values()], defects).map(({ id }) => id),
    unproven: unprovenReadings(right).filter(({ rule }) => whole.has(rule)),
    matrix: matrix ? tried.map(({ id }) => rowOf(id, of('matrix', id) ?? [])) : null,
  }
  return { ...result, proven: isProven(result) }
}

/** What failed on each latitude; and on a group whose latitudes are all judged as expected when they are apart. */
function verdictsOn(catalog: Catalog, jobs: readonly Job[], seen: Judged): ProofResult['latitudes'] {
  const failures = new Map(jobs.map((job) => [job.id, mismatchesOf(job, catalog, seen)]))
  const alone = catalog.latitudes.flatMap((latitude) => {
    const group = jobs.find(({ id }) => membersOf(id, [latitude]).length === 1)
    return group === undefined ? [] : [{ id: latitude.id, failed: failures.get(latitude.id) ?? [] }]
  })
  const wrong = new Set(alone.filter(({ failed }) => failed.length > 0).map(({ id }) => id))
  const groups = [...failures].map(([id, failed]) => ({ id, failed, members: membersOf(id, catalog.latitudes) }))
  return [
    ...alone,
    ...groups
      .filter(
        ({ failed, members }) => members.length > 1 && failed.length > 0 && !members.some(({ id }) => wrong.has(id)),
      )
      .map(({ id, failed }) => ({ id, failed })),
  ]
}

function rowOf(id: string, judgements: readonly Judgement[]): MatrixRow {
  const idsOf = (...verdicts: readonly Verdict[]) =>
    judgements.filter(({ verdict }) => verdicts.includes(verdict)).map(({ rule }) => rule)
  const undecided = (verdict: Verdict) =>
    judgements
      .filter((judgement) => judgement.verdict === verdict)
      .map(({ rule, by, reason }) => ({ rule, reason: [by, reason].filter((text) => text !== null).join(': ') }))
  return {
    id,
    failed: idsOf('failed', 'advice'),
    broken: idsOf('broken'),
    blocked: undecided('blocked'),
    inconclusive: undecided('inconclusive'),
  }
}

function isProven(result: Omit<ProofResult, 'proven'>): boolean {
  const wrong =
    result.defects.filter(({ killed }) => !killed).length +
    result.latitudes.filter(({ failed }) => failed.length > 0).length +
    result.reference.failed.length +
    result.unkilledClauses.length +
    result.unknownClauses.length +
    result.unproven.length +
    (result.matrix ?? []).filter(({ broken }) => broken.length > 0).length
  return wrong === 0
}
