import { areaOf } from '../common/areas.ts'
import { randomFrom } from '../common/random.ts'
import type { Dimension, Varying } from './dimensions.ts'

/** The place at which a rule begins in the `count` values of a dimension. */
export type Deal = (rule: string, dimension: Dimension, count: number) => number

/**
 * Deals the values of every dimension to the rules that name it. Rules of one topic (`pods.action`) get consecutive
 * places, so that a topic with as many rules as values has all values, and so does an area. A rule gets another place
 * with each of the first seeds, until it has had every value. Selecting some of the rules changes nothing for the others.
 */
export function assignValues(rules: readonly Varying[], seed: number): Deal {
  const dealt = new Map<Dimension, ReadonlyMap<string, number>>()
  return (rule, dimension, count) => {
    // A run of few rules asks for few dimensions.
    const places = dealt.get(dimension) ?? dealOne(dimension, rules)
    dealt.set(dimension, places)
    return (places.get(rule) ?? 0) + shiftOf(dimension, count, seed)
  }
}

/** Places that are the same for all seeds: only then do consecutive seeds give a rule different values. */
function dealOne(dimension: Dimension, rules: readonly Varying[]): ReadonlyMap<string, number> {
  const random = randomFrom(0, `dimension ${dimension}`)
  const naming = rules
    .filter(({ varies = [] }) => varies.includes(dimension))
    .map(({ id }) => ({ id, topic: topicOf(id), order: 0 }))
    .sort((a, b) => compare(a.id, b.id))
    .map((rule) => ({ ...rule, order: random() }))
    .sort((a, b) => compare(a.topic, b.topic) || a.order - b.order)
  const places = new Map<string, number>()
  const next = new Map<string, number>()
  for (const { id } of naming) {
    const area = areaOf(id)
    const place = next.get(area) ?? Math.floor(random() * 1_000)
    places.set(id, place)
    next.set(area, place + 1)
  }
  return places
}

/**
 * The number of places by which a seed moves every rule. Each block of as many seeds as values has every shift once, in an
 * order of its own, so that the pairs of two dimensions differ between blocks.
 */
function shiftOf(dimension: Dimension, count: number, seed: number): number {
  const place = seed - 1
  const random = randomFrom(Math.floor(place / count), `shifts of ${dimension}`)
  const shifts = Array.from({ length: count }, (_, shift) => ({ shift, order: random() }))
  return shifts.sort((a, b) => a.order - b.order)[((place % count) + count) % count]?.shift ?? 0
}

function topicOf(id: string): string {
  return id.split('.').slice(0, 2).join('.')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
