import type { Target } from '../../target/types.ts'
import type { Deal } from './deal.ts'
import { type Dimension, dimensions, offered, type ValueOf, type Varying } from './dimensions.ts'
import { inputs, outputs } from './values.ts'

/** Values that a rule drew, by dimension, in the order of its draws. */
export type Drawn = Readonly<Partial<Record<Dimension, readonly string[]>>>

/** Draws what a rule's sentence leaves open. The same rule, seed and target draw the same values. */
export type Variation = ReturnType<typeof createVariation>

/** The variation of one rule. `deal` is null for the plain case, in which every dimension has its first value. */
export function createVariation({ id, varies = [] }: Varying, target: Target, deal: Deal | null) {
  const named: ReadonlySet<Dimension> = new Set(deal === null ? [] : varies)
  const draws = new Map<Dimension, string[]>()

  function note<D extends Dimension>(dimension: D, value: ValueOf<D>): ValueOf<D> {
    if (named.has(dimension)) draws.set(dimension, [...(draws.get(dimension) ?? []), value])
    return value
  }

  function draw<D extends Dimension>(dimension: D, suits: (value: ValueOf<D>) => boolean = () => true): ValueOf<D> {
    const all: readonly ValueOf<D>[] = dimensions[dimension]
    const values = named.has(dimension) ? offered(dimension, target) : all
    const first = named.has(dimension) ? (deal?.(id, dimension) ?? 0) + (draws.get(dimension)?.length ?? 0) : 0
    for (let step = 0; step < values.length; step++) {
      const value = values[(first + step) % values.length]
      if (value !== undefined && suits(value)) return note(dimension, value)
    }
    return note(dimension, all[0] as ValueOf<D>)
  }

  return {
    /**
     * The next value of a dimension, among those that the target offers and `suits` accepts; the plain value if the rule
     * does not name the dimension.
     */
    draw,
    /** Every value that the target offers, for a rule that runs each of them; the plain one if it does not name it. */
    every<D extends Dimension>(dimension: D): readonly ValueOf<D>[] {
      if (!named.has(dimension)) return [draw(dimension)]
      return offered(dimension, target).map((value) => note(dimension, value))
    },
    /** Notes that the last drawn value did not come about, and the plain one took its place. */
    fellBack(dimension: Dimension): void {
      draws.get(dimension)?.splice(-1, 1, dimensions[dimension][0])
    },
    /** Things in the drawn order. */
    ordered: <T>(things: readonly T[]): readonly T[] => (draw('order') === 'reversed' ? things.toReversed() : things),
    /** An output for a job, any JSON value but null. */
    output: (): unknown => outputs[draw('output')],
    /** Members for the input of a job. */
    input: () => inputs[draw('input')],
    drawn: (): Drawn => Object.fromEntries([...draws].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
