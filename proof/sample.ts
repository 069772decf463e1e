import { randomFrom } from '../harness/common/random.ts'
import type { Catalog } from './jobs.ts'

/** A draw from the catalog. */
export interface Sample {
  /** How many defects; a quarter as many latitudes. */
  readonly count: number
  readonly seed: number
}

/** The drawn defects and latitudes, and the rules of these defects, which are to be judged. */
export function sampleOf(
  catalog: Catalog,
  { count, seed }: Sample,
): { readonly catalog: Catalog; readonly only: readonly string[] } {
  const defects = draw(catalog.defects, count, seed, 'defects')
  const latitudes = draw(catalog.latitudes, Math.ceil(count / 4), seed, 'latitudes')
  return { catalog: { ...catalog, defects, latitudes }, only: [...new Set(defects.map(({ rule }) => rule))] }
}

/** So many of the items, in their order. `name` tells apart the draws of one seed. */
export function draw<T>(items: readonly T[], count: number, seed: number, name: string): T[] {
  const random = randomFrom(seed, name)
  return items
    .map((item, place) => ({ item, place, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
