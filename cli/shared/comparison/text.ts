import { pluralize } from '../../../harness/common/pluralize.ts'
import type { Paint } from '../../../reports/text.ts'
import { slowdownBy } from './busy.ts'
import { type Answer, levelOf, type Measure, type Measures } from './compare.ts'

/** Words of a comparison. */
export interface Wording {
  readonly measuresOf: (operation: string) => Measures
  /** Advice how to decide, given the rounds that may be enough. */
  readonly advice: (rounds: number) => string
}

/** Every kind of answer but "no difference", the worst first. */
const notedKinds = ['worse', 'better', 'too noisy to say', 'not reported'] as const

/** Each answer that is not "no difference", the worst first. */
export function notedAnswers(answers: readonly Answer[]) {
  return notedKinds.flatMap((kind) => answers.filter((one) => one.kind === kind).map((answer) => ({ kind, answer })))
}

/** These answers as lines. */
export function answerLines(answers: readonly Answer[], wording: Wording, paint: Paint): string[] {
  const { red: worse, green: better, yellow: noisy } = paint
  const paints = { worse, better, 'too noisy to say': noisy, 'not reported': noisy } as const
  return notedAnswers(answers).map(({ kind, answer }) => paints[kind](answerLine(answer, wording)))
}

/** One answer as a sentence, such as `getPod, latency alone: slower by 10.2 % (8.1 % to 12.0 %)`. */
export function answerLine(answer: Answer, { measuresOf, advice }: Wording): string {
  const { operation, measure: name, kind, change, low, high, rounds } = answer
  const measure = measuresOf(operation)[name] ?? { title: name }
  const subject = `${operation}, ${measure.title}`
  if (kind === 'not reported') return `${subject}: not reported`
  if (change === null || low === null || high === null)
    return `${subject}: too noisy to say, because too little was measured`
  if (kind === 'too noisy to say') {
    const most = rounds === null ? '' : `; ${advice(rounds)} may decide`
    return `${subject}: too noisy to say (${percent(low)} to ${percent(high)})${most}`
  }
  if (kind === 'no difference') return `${subject}: no difference (${percent(low)} to ${percent(high)})`
  const [from, to] = kind === 'worse' ? [low, high] : [-high, -low]
  const of = measure.of === undefined ? '' : ` of ${measure.of}`
  return `${subject}: ${wordOf(kind, measure)} by ${percent(Math.abs(change))}${of} (${percent(from)} to ${percent(to)})`
}

function wordOf(kind: Answer['kind'], { isShare = false, isInverse = false }: Measure): string | undefined {
  const [worse, better] = isShare ? ['more', 'fewer'] : isInverse ? ['lower', 'higher'] : ['slower', 'faster']
  return kind === 'worse' ? worse : better
}

/** How many tests there were, and at which level. */
export function levelLine({ length }: readonly Answer[], tolerance: number): string {
  return `${pluralize(length, 'comparison')} at a level of ${levelOf(length).toPrecision(2)}; tolerance ${percent(tolerance)}`
}

/** The share of its time for which the command waited for a processor, if the system tells. */
export function processorLines(waitedShare: number | null): string[] {
  if (waitedShare === null) return []
  const line = `waited ${percent(waitedShare)} of the time for a processor`
  return slowdownBy(waitedShare) > 0
    ? [`${line}: this machine is busy, so smaller differences of latency and throughput are too noisy to say`]
    : [line]
}

/** How many answers there are of each kind, such as `regress: 1 worse, 4 without a difference`. */
export function sumLine(command: string, answers: readonly Answer[], nothing = 'difference'): string {
  const count = (wanted: Answer['kind']) => answers.filter(({ kind }) => kind === wanted).length
  const parts = notedKinds.flatMap((kind) => (count(kind) === 0 ? [] : [`${count(kind)} ${kind}`]))
  if (parts.length === 0) return `${command}: no ${nothing}`
  return `${command}: ${parts.join(', ')}, ${count('no difference')} without a ${nothing}`
}

/** Rows with their cells below each other. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

export function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`
}
