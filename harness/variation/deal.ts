import { areaOf } from '../common/areas.ts'
import { randomFrom } from '../common/random.ts'
import type { Dimension, Varying } from './dimensions.ts'

/** The place at which a rule begins in the values of a dimension. */
export type Deal = (rule: string, dimension: Dimension) => number

/**
 * Deals the values of every dimension to the rules that name it. Rules of one topic (`pods.action`) get consecutive
 * places, so that a topic with as many rules as values has all values, and so does an area. Selecting some of the rules
 * changes nothing for the others.
 */
export function dealTo(rules: readonly Varying[], seed: number): Deal {
  const dealt = new Map<Dimension, ReadonlyMap<string, number>>()
  return (rule, dimension) => {
    // A run of few rules asks for few dimensions.
    const places = dealt.get(dimension) ?? dealOne(dimension, rules, seed)
    dealt.set(dimension, places)
    return places.get(rule) ?? 0
  }
}

function dealOne(dimension: Dimension, rules: readonly Varying[], seed: number): ReadonlyMap<string, number> {
  const random = randomFrom(seed, `dimension ${dimension}`)
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

function topicOf(id: string): string {
  return id.split('.').slice(0, 2).join('.')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
