import { randomFrom } from '../../../harness/common/random.ts'
import { geometricMean, mean } from '../../../load/mixed/statistics.ts'
import { exitCodes } from '../../../verdicts/exit-codes.ts'
import { type Centre, type Effect, minPairs, pairedEffect, unpairedEffect } from './statistics.ts'

/** The values of one operation on one side in one round, by measure; null if it has none. */
export type RoundValues = Readonly<Record<string, number | null>>

/** A property of an operation that is compared. */
export interface Measure {
  readonly title: string
  /** A share is compared by its difference, anything else by its ratio. */
  readonly isShare?: boolean
  /** True if less is worse. */
  readonly isInverse?: boolean
  /** The smallest difference of a share that counts; default: one percentage point. */
  readonly minDifference?: number
  /** Lower values count as this; not for shares. */
  readonly minValue?: number
  /**
   * Set if the target reports it, which not every target does, and a busy machine here does not change: the measure that has a value
   * in the same rounds even if this one is not reported.
   */
  readonly reportedWith?: string
  /** The whole that it is a share of, if that is not the requests. */
  readonly of?: string
}

export type Measures = Readonly<Record<string, Measure>>

type AnswerKind = 'no difference' | 'worse' | 'better' | 'too noisy to say' | 'not reported'

/** The answer about one measure of one operation. `change` and its interval: above 0 is worse. */
export interface Answer {
  readonly operation: string
  readonly measure: string
  readonly kind: AnswerKind
  /** The part by which a value is worse, or the difference of two shares; null if too few rounds have a value. */
  readonly change: number | null
  readonly low: number | null
  readonly high: number | null
  readonly p: number | null
  /** Rounds that may be enough, if it is too noisy to say. */
  readonly rounds: number | null
}

export interface CompareOptions {
  /** The measures of an operation, and of `allOperations`. */
  readonly measuresOf: (operation: string) => Measures
  readonly seed: number
  /** The smallest slowdown that counts, as a ratio minus 1. */
  readonly tolerance: number
  /** True if both sides were measured together, round by round. */
  readonly isPaired: boolean
  /** The slowdown that a busy machine may cause by itself, as a ratio minus 1; default: 0. */
  readonly busy?: number
}

type Rounds = Readonly<Record<string, readonly RoundValues[]>>

/** The name of all operations together in answers. */
export const allOperations = 'all operations'

/** Probability of any false alarm in a run in which nothing differs. */
const falseAlarm = 0.05
/** The smallest difference of shares that counts. */
const shareTolerance = 0.01
/** More rounds than this are not suggested. */
const maxRounds = 500

/** The level of each test: by Bonferroni, the probability of a false alarm divided by the number of tests. */
export function levelOf(comparisons: number): number {
  return falseAlarm / comparisons
}

/**
 * An answer for each measure of each operation that both sides have, and of all of them together: that finds a slowdown of everything
 * that is lost in the noise of each.
 */
export function compareRounds(before: Rounds, after: Rounds, options: CompareOptions): Answer[] {
  const { measuresOf, isPaired, seed } = options
  const operations = Object.keys(after).filter((operation) => operation in before)
  const sidesOf = (operation: string) => [before[operation] ?? [], after[operation] ?? []] as const
  const subjects = operations.map((operation) => [operation, ...sidesOf(operation)] as const)
  const common = measuresOf(allOperations)
  const both = [before, after].map((side) =>
    together(
      operations.map((operation) => side[operation] ?? []),
      common,
    ),
  )
  if (operations.length > 1) subjects.unshift([allOperations, both[0] ?? [], both[1] ?? []])
  const compared = subjects.flatMap(([operation, old, now]) =>
    Object.entries(measuresOf(operation)).map(([name, measure]) => {
      const random = randomFrom(seed, `${operation} ${name}`)
      const isMissing = [...old, ...now].some((round) => isUnreported(round, name, measure))
      return { operation, name, measure, effect: effectOf(old, now, name, measure, isPaired, random), isMissing }
    }),
  )
  const level = levelOf(compared.length)
  return compared.map(({ operation, name, measure, effect, isMissing }) => {
    const unknown = isMissing ? 'not reported' : 'too noisy to say'
    return { operation, measure: name, ...answerOf(effect, measure, level, unknown, options) }
  })
}

/** The exit code of a comparison: something is worse, or too noisy to say. */
export function exitOfAnswers(answers: readonly Answer[]): number {
  if (answers.some(({ kind }) => kind === 'worse')) return exitCodes['not conformant']
  return answers.some(({ kind }) => kind === 'too noisy to say') ? exitCodes.incomplete : exitCodes.conformant
}

/** The values of several operations in each round: the geometric mean, so that each counts alike; of shares the mean. */
function together(operations: readonly (readonly RoundValues[])[], measures: Measures): RoundValues[] {
  const joined = (at: number, name: string, { isShare = false }: Measure) => {
    const all = operations.map((rounds) => rounds[at]?.[name] ?? null).filter((value) => value !== null)
    if (all.length < operations.length) return null
    return isShare ? mean(all) : geometricMean(all)
  }
  return (operations[0] ?? []).map((_, at) =>
    Object.fromEntries(Object.entries(measures).map(([name, measure]) => [name, joined(at, name, measure)])),
  )
}

/** True if the target had the occasion to report a measure in this round, and did not. */
function isUnreported(round: RoundValues, name: string, { reportedWith }: Measure): boolean {
  return reportedWith !== undefined && (round[reportedWith] ?? null) !== null && (round[name] ?? null) === null
}

interface Measured extends Effect {
  readonly rounds: number
}

/** The effect on the scale of the test, above 0 if worse; null if fewer than two rounds have a value. */
function effectOf(
  before: readonly RoundValues[],
  after: readonly RoundValues[],
  name: string,
  { isShare = false, isInverse = false, minValue = 0 }: Measure,
  isPaired: boolean,
  random: () => number,
): Measured | null {
  const scaled = (round: RoundValues | undefined) => {
    const value = round?.[name] ?? null
    if (isShare || value === null) return value
    const log = Math.log(Math.max(minValue, value))
    return isInverse ? -log : log
  }
  // Most rounds have no error, so that the median would hide those that do.
  const centre: Centre = isShare ? 'mean' : 'median'
  const [old, now] = [before.map(scaled), after.map(scaled)]
  if (isPaired) {
    const pairs = now.flatMap((value, at) => {
      const other = old[at] ?? null
      return value === null || other === null ? [] : value - other
    })
    return pairs.length < 2 ? null : { ...pairedEffect(pairs, centre, random), rounds: pairs.length }
  }
  const [a, b] = [old.filter((value) => value !== null), now.filter((value) => value !== null)]
  const rounds = Math.min(a.length, b.length)
  return rounds < 2 ? null : { ...unpairedEffect(a, b, centre, random), rounds }
}

/** `unknown`: the answer if there is no effect to judge. */
function answerOf(
  effect: Measured | null,
  { isShare = false, isInverse = false, reportedWith, minDifference = shareTolerance }: Measure,
  level: number,
  unknown: AnswerKind,
  { tolerance, isPaired, busy = 0 }: CompareOptions,
): Omit<Answer, 'operation' | 'measure'> {
  // Fewer pairs than this never show a difference, so they do not show that there is none.
  if (effect === null || (isPaired && effect.rounds < minPairs(level)))
    return { kind: unknown, change: null, low: null, high: null, p: null, rounds: null }
  const least = isShare ? minDifference : Math.log1p(tolerance)
  const found = isShare ? 2 * minDifference : Math.log1p(2 * tolerance)
  const seen = kindOf(effect, level, least, found)
  const isByMachine = !isShare && reportedWith === undefined && Math.abs(effect.estimate) < Math.log1p(busy)
  const kind = seen !== 'no difference' && isByMachine ? 'too noisy to say' : seen
  const ratio = (value: number) => (isInverse ? -Math.expm1(-value) : Math.expm1(value))
  const shown = isShare ? (value: number) => value : ratio
  const { estimate, low, high, p } = effect
  const rounds = kind === 'too noisy to say' ? roundsFor(effect, level, least) : null
  return { kind, change: shown(estimate), low: shown(low), high: shown(high), p, rounds }
}

/**
 * Worse needs all three: a significant test, an estimate of at least the tolerance, and an interval above 0. No difference needs
 * an estimate below the tolerance, and an interval below `found`: a slowdown of twice the tolerance would have been found.
 */
function kindOf({ estimate, low, high, p }: Effect, level: number, least: number, found: number): AnswerKind {
  const isSignificant = p <= level
  if (isSignificant && estimate >= least && low > 0) return 'worse'
  if (isSignificant && estimate <= -least && high < 0) return 'better'
  return estimate < least && high < found ? 'no difference' : 'too noisy to say'
}

/** An interval shrinks with the root of the number of rounds; half of it must not exceed the tolerance. */
function roundsFor({ low, high, rounds }: Measured, level: number, least: number): number {
  const wanted = Math.ceil(rounds * ((high - low) / 2 / least) ** 2)
  return Math.min(maxRounds, Math.max(wanted, rounds + 5, minPairs(level)))
}
