import { failsIn } from './compare.ts'
import type { Crew } from './crew.ts'
import type { Catalog } from './jobs.ts'
import { defectJob } from './plan.ts'
import type { Defect } from './types.ts'

/** A run with one of these seeds finds each defect that only some values show: no dimension has more values. */
export const firstSeeds = [1, 2, 3, 4, 5, 6] as const

/** For each defect that only some values show, the first of these seeds that draws them; null if none does. */
export type SeedsThatFind = ReadonlyMap<string, number | null>

/** Judges each defect that names values with seed after seed, as a run draws them, until its rule finds it. */
export async function seedsThatFind(defects: readonly Defect[], catalog: Catalog, crew: Crew): Promise<SeedsThatFind> {
  const found = new Map<string, number | null>()
  let left = defects.filter(({ variation }) => variation !== undefined)
  for (const { id } of left) found.set(id, null)
  for (const seed of firstSeeds) {
    const jobs = left.map((defect) => ({ ...defectJob(defect, catalog), seed, given: undefined }))
    const judgements = await crew.run(jobs)
    for (const [at, defect] of left.entries()) {
      if (judgements[at]?.some((judgement) => failsIn(defect, judgement))) found.set(defect.id, seed)
    }
    left = left.filter(({ id }) => found.get(id) === null)
  }
  return found
}
