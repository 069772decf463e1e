import type { Judgement } from '../harness/run/judge.ts'
import { compareLatitude, type Mismatch } from './compare.ts'
import type { Crew } from './crew.ts'
import { causesOf, excusesOn, type FalseExcuse } from './excuses.ts'
import { concerns, membersOf, together } from './groups.ts'
import type { Catalog, Job } from './jobs.ts'

export interface ProofProgress {
  readonly done: number
  readonly total: number
  /** The latest result: the id of a defect or latitude, or `reference`. */
  readonly what: string
}

/** The judgements of all jobs. */
export interface Judged {
  readonly reference: readonly Judgement[]
  /** Of each group of latitudes, each group without one of them, and each latitude that was judged alone. */
  readonly onLatitudes: readonly (readonly Judgement[])[]
  /** The failures on each latitude, and on each group whose latitudes are all judged as expected alone. */
  readonly latitudes: readonly { readonly id: string; readonly failed: readonly Mismatch[] }[]
  readonly all: readonly (readonly Judgement[])[]
  readonly falseExcuses: readonly FalseExcuse[]
  of(kind: Job['kind'], id: string): readonly Judgement[] | undefined
}

/**
 * Runs jobs. A group of latitudes that is judged otherwise is split, which shows whose fault it is. If a rule is blocked by
 * one that was not judged, both are judged on the same instance.
 */
export async function judgeAll(
  jobs: readonly Job[],
  catalog: Catalog,
  crew: Crew,
  onProgress: (progress: ProofProgress) => void = () => {},
): Promise<Judged> {
  const seen = new Map<string, readonly Judgement[]>()
  const of = (kind: Job['kind'], id: string) => seen.get(`${kind} ${id}`)
  await judge(jobs)
  const reference = of('reference', 'reference') ?? []
  const groups = jobs.filter(({ kind }) => kind === 'latitude')
  const members = merged(groups.filter((job) => failuresOf(job.id).length > 0).flatMap(alone))
  if (members.length > 0) await judge(members)
  const onLatitudes = [...groups, ...members]
  const all = [...seen.values()]
  const causes = [...jobs, ...members].flatMap((job) => causesOf(job, of(job.kind, job.id) ?? [], catalog) ?? [])
  const tried = await run(causes, all.length)
  return {
    reference,
    onLatitudes: onLatitudes.map(({ id }) => of('latitude', id) ?? []),
    latitudes: blame(new Map(onLatitudes.map(({ id }) => [id, failuresOf(id)])), catalog),
    all,
    falseExcuses: [
      ...[...seen].flatMap(([key, judgements]) => excusesOn(key.slice(key.indexOf(' ') + 1), judgements, catalog)),
      ...causes.flatMap(({ id }, place) => excusesOn(id, tried[place] ?? [], catalog)),
    ],
    of,
  }

  function run(more: readonly Job[], before: number): Promise<Judgement[][]> {
    let done = before
    const total = before + more.length
    return crew.run(more, catalog, ({ id }) => onProgress({ done: ++done, total, what: id }))
  }

  async function judge(more: readonly Job[]): Promise<void> {
    const judgements = await run(more, seen.size)
    for (const [place, { kind, id }] of more.entries()) seen.set(`${kind} ${id}`, judgements[place] ?? [])
  }

  function failuresOf(id: string): Mismatch[] {
    const latitude = together(membersOf(id, catalog.latitudes))
    return compareLatitude(latitude, of('latitude', id) ?? [], reference, catalog)
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
