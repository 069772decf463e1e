import type { Judgement } from '../harness/run/judge.ts'
import { compareLatitude, type Mismatch } from './compare.ts'
import type { Crew } from './crew.ts'
import { causesOf, excusesOn, type FalseExcuse } from './excuses.ts'
import { concerns, membersOf, together } from './groups.ts'
import type { Catalog, Job, Outcome } from './jobs.ts'

export interface ProofProgress {
  readonly done: number
  readonly total: number
  /** The latest result: the id of a defect or latitude, or `reference`. */
  readonly what: string
}

/** The outcomes of all jobs, compared with what is expected of them. */
export interface Judged {
  readonly outcomes: readonly Outcome[]
  /** On the reference itself. */
  readonly reference: readonly Judgement[]
  /** The failures on each latitude, and on each group whose latitudes are all judged as expected alone. */
  readonly latitudes: readonly { readonly id: string; readonly failed: readonly Mismatch[] }[]
  readonly falseExcuses: readonly FalseExcuse[]
}

/**
 * Runs jobs. A group of latitudes that is judged otherwise is split, which shows whose fault it is. If a rule is blocked by
 * one that was not judged, both are judged on the same instance.
 */
export async function judgeAll(
  jobs: readonly Job[],
  catalog: Catalog,
  crew: Crew,
  onProgress: (progress: ProofProgress) => void,
): Promise<Judged> {
  const outcomes: Outcome[] = []
  await judge(jobs)
  const reference = outcomes.find(({ job }) => job.kind === 'reference')?.judgements ?? []
  await judge(merged(onLatitudes().flatMap(({ job, failed }) => (failed.length > 0 ? alone(job) : []))))
  const latitudes = blame(new Map(onLatitudes().map(({ job, failed }) => [job.id, failed])), catalog)
  await judge(outcomes.flatMap((outcome) => causesOf(outcome, catalog)))
  const falseExcuses = outcomes.flatMap((outcome) => excusesOn(outcome, catalog))
  return { outcomes, reference, latitudes, falseExcuses }

  async function judge(more: readonly Job[]): Promise<void> {
    let done = outcomes.length
    const total = done + more.length
    const judgements = await crew.run(more, ({ id }) => onProgress({ done: ++done, total, what: id }))
    outcomes.push(...more.map((job, place) => ({ job, judgements: judgements[place] ?? [] })))
  }

  /** Latitudes and groups that were judged, with what is not as expected. */
  function onLatitudes() {
    return outcomes
      .filter(({ job }) => job.kind === 'latitude')
      .map(({ job, judgements }) => {
        const expected = together(membersOf(job.id, catalog.latitudes))
        return { job, failed: compareLatitude(expected, judgements, reference, catalog) }
      })
  }

  /** The latitudes of a group, each as a job of its own with the rules of its planes; none for a latitude that is no group. */
  function alone(job: Job): Job[] {
    const members = membersOf(job.id, catalog.latitudes)
    if (members.length === 1) return []
    return members.map((latitude) => {
      const concerned = (ids: readonly string[]) => ids.filter((rule) => concerns(latitude, rule))
      return { ...job, id: latitude.id, rules: concerned(job.rules), wanted: concerned(job.wanted) }
    })
  }
}

/** One job for each latitude, with the rules of all its jobs. */
function merged(jobs: readonly Job[]): Job[] {
  return [...Map.groupBy(jobs, ({ id }) => id).values()].flatMap((same) => {
    const union = (of: (one: Job) => readonly string[]) => [...new Set(same.flatMap(of))]
    return same
      .slice(0, 1)
      .map((job) => ({ ...job, rules: union(({ rules }) => rules), wanted: union(({ wanted }) => wanted) }))
  })
}

/** Failures by latitude. Those of a group are its latitudes' own, unless none of them fails alone. */
function blame(failures: ReadonlyMap<string, readonly Mismatch[]>, { latitudes }: Catalog): Judged['latitudes'] {
  const groups = [...failures].map(([id, failed]) => ({ id, failed, members: membersOf(id, latitudes) }))
  const judged = latitudes.filter(({ id }) => groups.some(({ members }) => members.some((one) => one.id === id)))
  const failsAlone = ({ id }: { readonly id: string }) => (failures.get(id) ?? []).length > 0
  return [
    ...judged.map(({ id }) => ({ id, failed: failures.get(id) ?? [] })),
    ...groups
      .filter(({ failed, members }) => members.length > 1 && failed.length > 0 && !members.some(failsAlone))
      .map(({ id, failed }) => ({ id, failed })),
  ]
}
