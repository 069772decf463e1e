import { compareLatitude, compareReference, type Mismatch } from './compare.ts'
import { runJobs } from './crew.ts'
import { createInstance } from './instance.ts'
import { everything, type Job } from './jobs.ts'
import { planJobs } from './plan.ts'
import type { ProofProgress } from './prove.ts'
import type { Latitude } from './types.ts'

export interface SeedsResult {
  readonly seeds: number
  readonly latitudes: number
  /** Verdicts and readings that another seed changed; `on` is a latitude, or `reference`. */
  readonly changed: readonly (Mismatch & { readonly seed: number; readonly on: string })[]
}

/** The seed that everything else is judged with. */
const usual = 1

/**
 * Judges the reference and every latitude with each seed from 1 to `seeds`: a conforming target gets the same verdicts and
 * readings with all of them.
 * @throws NothingMatches where `only` matches nothing.
 */
export async function proveSeeds(
  seeds: number,
  only: readonly string[],
  onProgress: (progress: ProofProgress) => void,
): Promise<SeedsResult> {
  const catalog = everything()
  const plan = planJobs(catalog, only, false).filter(({ kind }) => kind !== 'defect')
  const jobs = Array.from({ length: seeds }, (_, n) => plan.map((job): Job => ({ ...job, seed: n + usual }))).flat()
  let done = 0
  const judgements = await runJobs(jobs, catalog, { isOwn: true }, ({ id }) =>
    onProgress({ done: ++done, total: jobs.length, what: id }),
  )
  const of = (wanted: string, seed: number) =>
    judgements[jobs.findIndex(({ id, seed: with_ }) => id === wanted && with_ === seed)] ?? []
  const scenarios = new Set<string>(catalog.rules.flatMap(({ id, kind }) => (kind === 'scenario' ? [id] : [])))
  const first = of('reference', usual)

  const changed = jobs.flatMap((job) => {
    const seed = job.seed ?? usual
    const seen = of(job.id, seed)
    const latitude = catalog.latitudes.find(({ id }) => id === job.id)
    const mismatches =
      latitude === undefined
        ? [...compareReference(seen), ...compareLatitude(theReference, seen, first, { absent: {}, scenarios })]
        : compareLatitude(latitude, seen, of('reference', seed), {
            absent: latitude.onlyLacks === true ? createInstance([latitude]).target.absent : {},
            scenarios,
          })
    return mismatches.map((mismatch) => ({ ...mismatch, seed, on: job.id }))
  })
  return { seeds, latitudes: plan.filter(({ kind }) => kind === 'latitude').length, changed }
}

const theReference: Latitude = { id: 'reference', says: 'Nothing is changed.' }
