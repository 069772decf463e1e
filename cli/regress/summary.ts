import { pluralize } from '../../harness/common/pluralize.ts'
import { mean } from '../../load/mixed/statistics.ts'
import type { Summary } from '../shared/comparison/summary.ts'
import { levelLine, percent, processorLines, sumLine } from '../shared/comparison/text.ts'
import type { JobTimes } from './jobs.ts'
import { measuresOf, type Round } from './measures.ts'
import type { MeasuredSide, RegressResult } from './result.ts'
import type { OperationValues } from './rounds.ts'

/** A heading, and the cell below it of one side. */
type Column = readonly [heading: string, of: (values: OperationValues) => string]

const columns: readonly Column[] = [
  ['alone p50', ({ alone }) => numberText(alone?.p50)],
  ['load p50', ({ load }) => numberText(load?.p50)],
  ['load p95', ({ load }) => numberText(load?.p95)],
  ['load p99', ({ load }) => numberText(load?.p99)],
  ['per second', (values) => numberText(meanOf(values, 'throughput'))],
  ['errors', (values) => percent(meanOf(values, 'errors') ?? 0)],
  ['429', (values) => percent(meanOf(values, 'limited') ?? 0)],
]

/** The times of a job. */
const jobColumns: readonly Column[] = [
  ['in the queue', (values) => numberText(meanOf(values, 'queued'))],
  ['in a worker', (values) => numberText(meanOf(values, 'executed'))],
  ['until COMPLETED', (values) => numberText(meanOf(values, 'completed'))],
]

/** The result in words and tables. */
export function summarize(result: RegressResult): Summary {
  const { baseline, candidate, answers } = result
  const operations = commonOperations(result)
  const jobs = operations.filter((name) => name === 'runJob')
  return {
    title: `${candidate.file} compared with ${baseline.file}`,
    heads: headsOf(result),
    tables: [tableOf(columns, operations, result), ...(jobs.length === 0 ? [] : [tableOf(jobColumns, jobs, result)])],
    answers,
    wording: { measuresOf, advice: (rounds) => `--rounds ${rounds}` },
    sum: sumLine('regress', answers),
  }
}

/** The operations that both sides have measured. */
export function commonOperations({ baseline, candidate }: RegressResult): string[] {
  return Object.keys(candidate.operations).filter((name) => name in baseline.operations)
}

/** How it was measured. */
function headsOf({ baseline, candidate, answers, tolerance, isInterleaved, waitedShare }: RegressResult): string[] {
  const rounds = Math.min(...Object.values(candidate.operations).map(({ rounds }) => rounds.length))
  const when = isInterleaved
    ? 'both targets in turn'
    : `the baseline measured at another time (${new Date(baseline.measuredMs).toISOString()})`
  return [
    `${pluralize(rounds, 'round')}, ${when}; baseline → candidate`,
    levelLine(answers, tolerance),
    ...processorLines(waitedShare),
    ...throughputLines(candidate),
  ]
}

/** A slower side may complete as many requests, because they start at a fixed rate. */
function throughputLines({ operations }: MeasuredSide): string[] {
  const rates = Object.values(operations).flatMap(({ perSecond }) => perSecond ?? [])
  if (rates.length === 0) return []
  const [lowest, highest] = [Math.min(...rates), Math.max(...rates)].map((rate) => rate.toFixed(1))
  const rate = lowest === highest ? lowest : `${lowest} to ${highest}`
  return [`throughput: requests that start at ${rate} a second, completed a second`]
}

/** The values of both sides, below their headings. */
function tableOf(of: readonly Column[], operations: readonly string[], { baseline, candidate }: RegressResult) {
  const rows = operations.map((name) => {
    const sides = [baseline, candidate].flatMap((side) => side.operations[name] ?? [])
    return [name, ...of.map(([, cellOf]) => sides.map(cellOf).join(' → '))]
  })
  return [['ms', ...of.map(([heading]) => heading)], ...rows]
}

function numberText(value: number | null | undefined): string {
  return value?.toFixed(1) ?? '–'
}

function meanOf({ rounds }: OperationValues, name: keyof Round | keyof JobTimes): number | null {
  const values = rounds.map((round) => round[name] ?? null).filter((value) => value !== null)
  return values.length === 0 ? null : mean(values)
}
