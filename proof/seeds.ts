import type { Judgement } from '../harness/run/judge.ts'
import { compareLatitude, compareReference, lackingOf, type Mismatch } from './compare.ts'
import { runJobs } from './crew.ts'
import { everything } from './jobs.ts'
import { planJobs } from './plan.ts'
import type { ProofProgress } from './prove.ts'
import type { Latitude } from './types.ts'

export interface SeedsResult {
  readonly seeds: number
  readonly latitudes: number
  /** Verdicts and readings that another seed changed; `on` is a latitude, or `reference`. */
  readonly changed: readonly (Mismatch & { readonly seed: number; readonly on: string })[]
}

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
  const plan = planJobs(catalog, only, { isEachAlone: true }).filter(({ kind }) => kind !== 'defect')
  const changed: SeedsResult['changed'][number][] = []
  let first: readonly Judgement[] | null = null
  let done = 0
  // One seed after the other, so that the judgements of one seed are in memory at a time.
  for (let seed = 1; seed <= seeds; seed++) {
    const jobs = plan.map((job) => ({ ...job, seed }))
    const judgements = await runJobs(jobs, catalog, { isOwn: true }, ({ id }) =>
      onProgress({ done: ++done, total: seeds * jobs.length, what: id }),
    )
    const reference = judgements[jobs.findIndex(({ kind }) => kind === 'reference')] ?? []
    first ??= reference
    for (const [place, { id }] of jobs.entries()) {
      const latitude = catalog.latitudes.find((one) => one.id === id) ?? theReference
      const isReference = latitude === theReference
      const seen = judgements[place] ?? []
      const mismatches = [
        ...(isReference ? compareReference(seen) : []),
        ...compareLatitude(latitude, seen, isReference ? first : reference, lackingOf(latitude, catalog)),
      ]
      changed.push(...mismatches.map((mismatch) => ({ ...mismatch, seed, on: id })))
    }
  }
  return { seeds, latitudes: plan.filter(({ kind }) => kind === 'latitude').length, changed }
}

const theReference: Latitude = { id: 'reference', says: 'Nothing is changed.' }
