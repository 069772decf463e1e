import { pluralize } from '../../harness/common/pluralize.ts'
import type { Paint } from '../../reports/text.ts'
import { busyShare } from './busy.ts'
import { type Answer, measures } from './compare.ts'
import type { MeasuredSide, RegressResult } from './result.ts'
import type { Percentiles, Values } from './rounds.ts'

/** The result as lines: a table of the operations, each answer that is not "no difference", and the sum. */
export function renderResult(result: RegressResult, paint: Paint): string[] {
  const { baseline, candidate, answers, level, tolerance, isInterleaved, waitedShare } = result
  const rounds = Math.min(...Object.values(candidate.operations).map(({ rounds }) => rounds.length))
  const other = (['worse', 'better', 'too noisy to say'] as const).flatMap((wanted) =>
    answers.filter(({ kind }) => kind === wanted),
  )
  return [
    `${pluralize(rounds, 'round')}, ${isInterleaved ? 'both targets in turn' : `the baseline measured at another time (${new Date(baseline.measuredMs).toISOString()})`}`,
    `${pluralize(answers.length, 'comparison')} at a level of ${level.toPrecision(2)}; tolerance ${percent(tolerance)}`,
    ...(waitedShare === null ? [] : [processorLine(waitedShare)]),
    '',
    ...table(baseline, candidate),
    '',
    ...other.map((answer) => paintOf(answer, paint)(answerLine(answer))),
    ...(other.length === 0 ? [] : ['']),
    sumOf(answers),
  ]
}

function processorLine(waited: number): string {
  const line = `waited ${percent(waited)} of the time for a processor`
  return waited > busyShare
    ? `${line}: this machine is busy, so smaller differences of times are too noisy to say`
    : line
}

/** One answer as a sentence, such as `getPod, latency alone: slower by 10.2 % (8.1 % to 12.0 %)`. */
export function answerLine(answer: Answer): string {
  const { operation, measure, kind, change, low, high, rounds } = answer
  const subject = `${operation}, ${measures[measure].title}`
  if (change === null || low === null || high === null)
    return `${subject}: too noisy to say, because too few rounds have a successful response`
  if (kind === 'too noisy to say') {
    const most = rounds === null ? '' : `; --rounds ${rounds} may decide`
    return `${subject}: too noisy to say (${percent(low)} to ${percent(high)})${most}`
  }
  if (kind === 'no difference') return `${subject}: no difference (${percent(low)} to ${percent(high)})`
  const [from, to] = kind === 'worse' ? [low, high] : [-high, -low]
  return `${subject}: ${wordOf(answer)} by ${percent(Math.abs(change))} (${percent(from)} to ${percent(to)})`
}

function wordOf({ measure, kind }: Answer): string | undefined {
  const { isShare = false, isInverse = false } = measures[measure]
  const [worse, better] = isShare ? ['more', 'fewer'] : isInverse ? ['lower', 'higher'] : ['slower', 'faster']
  return kind === 'worse' ? worse : better
}

function paintOf({ kind }: Answer, paint: Paint): (text: string) => string {
  if (kind === 'worse') return paint.red
  return kind === 'better' ? paint.green : paint.yellow
}

function sumOf(answers: readonly Answer[]): string {
  const count = (wanted: Answer['kind']) => answers.filter(({ kind }) => kind === wanted).length
  const [worse, noisy, better] = [count('worse'), count('too noisy to say'), count('better')]
  if (worse + noisy + better === 0) return 'regress: no difference'
  const parts = [
    ...(worse === 0 ? [] : [`${worse} worse`]),
    ...(noisy === 0 ? [] : [`${noisy} too noisy to say`]),
    ...(better === 0 ? [] : [`${better} better`]),
  ]
  return `regress: ${parts.join(', ')}, ${answers.length - worse - noisy - better} without a difference`
}

function table(baseline: MeasuredSide, candidate: MeasuredSide): string[] {
  const rows = Object.entries(candidate.operations).flatMap(([operation, now]) => {
    const old = baseline.operations[operation]
    if (old === undefined) return []
    const pair = (of: (values: Values) => string) => `${of(old)} → ${of(now)}`
    return [
      [
        operation,
        pair(({ alone }) => latency(alone, 'p50')),
        ...(['p50', 'p95', 'p99'] as const).map((name) => pair(({ load }) => latency(load, name))),
        pair((values) => percent(meanOf(values, 'errors'))),
        pair((values) => percent(meanOf(values, 'limited'))),
      ],
    ]
  })
  const all = [['ms', 'alone p50', 'load p50', 'load p95', 'load p99', 'errors', '429'], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function latency(percentiles: Percentiles, name: keyof NonNullable<Percentiles>): string {
  return percentiles === null ? '–' : percentiles[name].toFixed(1)
}

function meanOf({ rounds }: Values, share: 'errors' | 'limited'): number {
  return rounds.reduce((sum, round) => sum + round[share], 0) / rounds.length
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`
}
