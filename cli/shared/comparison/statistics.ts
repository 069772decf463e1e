import { mean, median, permutationTest, quantile, sampleWithReplacement, sum } from '../../../load/mixed/statistics.ts'

/** A difference between two sides, on the scale of the values that were given. */
export interface Effect {
  readonly estimate: number
  /** Ends of the interval that holds the difference in 95 of 100 cases. */
  readonly low: number
  readonly high: number
  /** How probable a difference of this size is if there is none. */
  readonly p: number
}

/** The middle of values: the median, or the mean if most of them are 0. */
export type Centre = 'median' | 'mean'

type Random = () => number

const resamples = 2_000
const permutations = 10_000
const centres = { median, mean } as const

/** The effect in pairs that were measured together, by their differences. The test is Wilcoxon's for signed ranks. */
export function pairedEffect(differences: readonly number[], centre: Centre, random: Random): Effect {
  const values = [...differences]
  const one = centres[centre]
  const drawn = () => one(sampleWithReplacement(values, values.length, random))
  return { estimate: one(values), ...interval(drawn), p: signedRankP(values) }
}

/** The effect between values that were measured at different times, by a permutation test of their means. */
export function unpairedEffect(
  before: readonly number[],
  after: readonly number[],
  centre: Centre,
  random: Random,
): Effect {
  const [old, now] = [[...before], [...after]]
  const one = centres[centre]
  const between = (a: number[], b: number[]) => one(b) - one(a)
  const drawn = (values: number[]) => sampleWithReplacement(values, values.length, random)
  return {
    estimate: between(old, now),
    ...interval(() => between(drawn(old), drawn(now))),
    p: permutationTest(old, now, 'two_side', permutations, random),
  }
}

/** The fewest pairs with which a test at this level can find anything: all signs alike have a probability of 2 / 2^n. */
export function minPairs(level: number): number {
  return Math.ceil(Math.log2(2 / level))
}

function interval(draw: () => number): Pick<Effect, 'low' | 'high'> {
  const [low = 0, high = 0] = quantile(Array.from({ length: resamples }, draw), [0.025, 0.975])
  return { low, high }
}

/** The exact probability of a sum of ranks that is as far from its mean, if each sign is as probable as the other. */
function signedRankP(differences: readonly number[]): number {
  const sizes = differences
    .filter((value) => value !== 0)
    .map(Math.abs)
    .sort((a, b) => a - b)
  // Equal sizes share the mean of their ranks. Twice a rank is a whole number.
  const rankOf = (size: number) => sizes.indexOf(size) + sizes.lastIndexOf(size) + 2
  const ranks = sizes.map(rankOf)
  const middle = sum(ranks) / 2
  const positive = sum(differences.filter((value) => value > 0).map(rankOf))
  /** Probability of each sum of the ranks so far. */
  let sums = [1]
  for (const rank of ranks) {
    const former = sums
    sums = Array.from({ length: former.length + rank }, (_, at) => ((former[at] ?? 0) + (former[at - rank] ?? 0)) / 2)
  }
  const distance = Math.abs(positive - middle)
  return sum(sums.filter((_, at) => Math.abs(at - middle) >= distance))
}
