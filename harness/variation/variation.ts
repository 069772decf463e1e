import type { Target } from '../../target/types.ts'
import { likeTexts, mutate } from '../common/mutate.ts'
import { randomFrom } from '../common/random.ts'
import type { Deal } from './deal.ts'
import { type Dimension, dimensions, offered, type ValueOf, type Values, type Varying } from './dimensions.ts'
import { inputs, outputs } from './values.ts'

/** Values that a rule drew, by dimension, in the order of its draws. */
export type Drawn = Readonly<Partial<Record<Dimension, readonly string[]>>>

/** Draws what a rule's sentence leaves open. The same rule, seed and target draw the same values. */
export type Variation = ReturnType<typeof createVariation>

/**
 * The variation of one rule: as dealt, or with given values, in which case every other dimension has its first value. A
 * sparing run draws one branch or part where any other tries all, and for one rule in two the plain value of a costly
 * dimension.
 */
export function createVariation(
  { id, varies = [] }: Varying,
  target: Target,
  from: Deal | Values,
  { isSparing = false }: { readonly isSparing?: boolean | undefined } = {},
) {
  const given = typeof from === 'function' ? null : from
  const deal = typeof from === 'function' ? from : () => 0
  const named: ReadonlySet<Dimension> = new Set(
    varies.filter((dimension) => given === null || given[dimension] !== undefined),
  )
  const draws = new Map<Dimension, string[]>()

  function note<D extends Dimension>(dimension: D, value: ValueOf<D>): ValueOf<D> {
    if (named.has(dimension)) draws.set(dimension, [...(draws.get(dimension) ?? []), value])
    return value
  }

  function draw<D extends Dimension>(dimension: D, suits: (value: ValueOf<D>) => boolean = () => true): ValueOf<D> {
    const all: readonly ValueOf<D>[] = dimensions[dimension]
    const values = named.has(dimension) ? offered(dimension, target) : all
    const first = named.has(dimension) ? firstOf(dimension, values) : 0
    for (let step = 0; step < values.length; step++) {
      const value = values[(first + step) % values.length]
      if (value !== undefined && suits(value)) return note(dimension, value)
    }
    return note(dimension, all[0] as ValueOf<D>)
  }

  /** The place of the value to try first: of the given one, or as dealt, each draw one further. */
  function firstOf(dimension: Dimension, values: readonly string[], drawn = draws.get(dimension)?.length ?? 0): number {
    const wanted = given?.[dimension]
    if (wanted === undefined && isSparing && costly.has(dimension)) {
      const place = deal(id, dimension, 2 * values.length) % (2 * values.length)
      return drawn === 0 && place % 2 === 1 ? (place - 1) / 2 : 0
    }
    return wanted === undefined ? deal(id, dimension, values.length) + drawn : Math.max(0, values.indexOf(wanted))
  }

  function sample<T>(of: string, members: readonly [T, ...T[]], nameOf: (member: T) => string): T
  function sample<T>(of: string, members: readonly T[], nameOf: (member: T) => string): T | undefined
  function sample<T>(of: string, members: readonly T[], nameOf: (member: T) => string): T | undefined {
    const names = members.map(nameOf)
    const before = (draws.get('sample') ?? []).filter((one) => one.startsWith(`${of}: `)).length
    const place = named.has('sample') ? firstOf('sample', names, offsetOf(of) + before) % names.length : 0
    if (named.has('sample')) draws.set('sample', [...(draws.get('sample') ?? []), `${of}: ${names[place]}`])
    return members[place]
  }

  function some<T>(dimension: 'branch' | 'part', all: readonly T[], nameOf: (one: T) => string): readonly T[] {
    if (!named.has(dimension) || (given === null && !isSparing)) return all
    const names = all.map(nameOf)
    const place = firstOf(dimension, names) % all.length
    draws.set(dimension, names.slice(place, place + 1))
    return all.slice(place, place + 1)
  }

  return {
    /**
     * The next value of a dimension, among those that the target offers and `suits` accepts; the plain value if the rule
     * does not name the dimension.
     */
    draw,
    /**
     * The next member of a class, such as one of many wrong values; the first one if the rule does not name `sample`.
     * What a rule draws of one class does not depend on its other classes.
     */
    sample,
    /** The branches that a rule runs: all, or the given or drawn one. */
    branches: <T>(all: readonly T[]): readonly T[] => some('branch', all, branchName),
    /** The parts of a long list of cases that a rule tries: all, or the given or drawn one. */
    parts: (all: readonly string[]): readonly string[] => some('part', all, String),
    /** An id like this one that was never issued; one of another form may be refused with any 4xx. */
    unknownId: (id: string): string => {
      const [, change = mutate] = sample('id', Object.entries(likeTexts), ([name]) => name) ?? []
      return change(id)
    },
    /** Every value that the target offers, for a rule that runs each of them; the plain one if it does not name it. */
    every<D extends Dimension>(dimension: D): readonly ValueOf<D>[] {
      if (!named.has(dimension)) return [draw(dimension)]
      return offered(dimension, target).map((value) => note(dimension, value))
    },
    /** Notes that the last drawn value did not come about, and the plain one took its place. */
    fellBack(dimension: Dimension): void {
      draws.set(dimension, [...(draws.get(dimension) ?? []).slice(0, -1), dimensions[dimension][0]])
    },
    /** Things in the drawn order. */
    ordered: <T>(things: readonly T[]): readonly T[] => (draw('order') === 'reversed' ? things.toReversed() : things),
    /** An output for a job, any JSON value but null. */
    output: (): unknown => outputs[draw('output')],
    /** Members for the input of a job. */
    input: () => inputs[draw('input')],
    /** The values that were drawn, by dimension. */
    drawn: (): Drawn => Object.fromEntries([...draws].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** A branch in words. */
export function branchName(branch: unknown): string {
  return typeof branch === 'string' ? branch : Object.values(branch ?? {}).join(' ')
}

/**
 * Dimensions whose values cost requests. In a sparing run one rule in two draws a value, for its first pod; all other pods
 * have the plain one.
 */
const costly: ReadonlySet<Dimension> = new Set(['history', 'sibling', 'seenIn', 'afterwards'])

/** A number that tells classes apart, so that the classes of a rule do not move in step. */
function offsetOf(name: string): number {
  return Math.floor(randomFrom(0, name)() * 1_000)
}
