import { compareLatitude, compareReference, type Mismatch, unchanged } from './compare.ts'
import { type Crew, createCrew } from './crew.ts'
import { everything } from './jobs.ts'
import { type Judged, judgeAll, type ProofProgress } from './judged.ts'
import { planJobs } from './plan.ts'

export interface SeedsResult {
  readonly seeds: number
  readonly latitudes: number
  /** Verdicts and readings that another seed changed; `on` is a latitude, or `reference`. */
  readonly changed: readonly (Mismatch & { readonly seed: number; readonly on: string })[]
}

/**
 * Judges the reference and every latitude with each seed from 1 to `seeds`: a conforming target gets the same verdicts and
 * readings with all of them.
 * @throws NothingMatches if `only` matches nothing.
 */
export async function proveSeeds(
  seeds: number,
  only: readonly string[],
  onProgress: (progress: ProofProgress) => void,
): Promise<SeedsResult> {
  const crew = createCrew({})
  return proveOn(crew, seeds, only, onProgress).finally(crew.close)
}

async function proveOn(
  crew: Crew,
  seeds: number,
  only: readonly string[],
  onProgress: (progress: ProofProgress) => void,
): Promise<SeedsResult> {
  const catalog = everything()
  const plan = planJobs(catalog, only).filter(({ kind }) => kind !== 'defect')
  const changed: SeedsResult['changed'][number][] = []
  let [first, latitudes]: [Judged['reference'] | null, number] = [null, 0]
  // One seed after the other, so that the judgements of one seed are in memory at a time.
  for (let seed = 1; seed <= seeds; seed++) {
    const jobs = plan.map((job) => ({ ...job, seed }))
    const judged = await judgeAll(jobs, catalog, crew, ({ done, total, what }) =>
      onProgress({ done: (seed - 1) * total + done, total: seeds * total, what }),
    )
    const { reference } = judged
    first ??= reference
    latitudes = judged.latitudes.length
    const seen = [...compareReference(reference), ...compareLatitude(unchanged, reference, first, catalog)]
    for (const { id, failed } of [{ id: 'reference', failed: seen }, ...judged.latitudes]) {
      changed.push(...failed.map((mismatch) => ({ ...mismatch, seed, on: id })))
    }
  }
  return { seeds, latitudes, changed }
}
