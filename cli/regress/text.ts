import { mean } from 'simple-statistics'
import { pluralize } from '../../harness/common/pluralize.ts'
import type { Percentiles } from '../../load/mixed/windows.ts'
import type { Paint } from '../../reports/text.ts'
import {
  aligned,
  answerLines,
  levelLine,
  percent,
  processorLines,
  sumLine,
  type Wording,
} from '../shared/comparison/text.ts'
import type { JobTimes } from './jobs.ts'
import { measuresOf, type Round } from './measures.ts'
import type { MeasuredSide, RegressResult } from './result.ts'
import type { OperationValues } from './rounds.ts'

export const wording: Wording = { measuresOf, advice: (rounds) => `--rounds ${rounds}` }

/** The result as lines: a table of the operations, each answer that is not "no difference", and the sum. */
export function renderResult(result: RegressResult, paint: Paint): string[] {
  const { baseline, candidate, answers } = result
  const other = answerLines(answers, wording, paint)
  const jobs = jobRows(baseline, candidate)
  return [
    ...headLines(result),
    '',
    ...aligned(speedRows(baseline, candidate)),
    ...(jobs.length === 0 ? [] : ['', ...aligned(jobs)]),
    '',
    ...other,
    ...(other.length === 0 ? [] : ['']),
    sumLine('regress', answers),
  ]
}

/** How it was measured. */
export function headLines({
  baseline,
  candidate,
  answers,
  tolerance,
  isInterleaved,
  waitedShare,
}: RegressResult): string[] {
  const rounds = Math.min(...Object.values(candidate.operations).map(({ rounds }) => rounds.length))
  return [
    `${pluralize(rounds, 'round')}, ${isInterleaved ? 'both targets in turn' : `the baseline measured at another time (${new Date(baseline.measuredMs).toISOString()})`}`,
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

/** The values of both sides, below their heads. */
export function speedRows(baseline: MeasuredSide, candidate: MeasuredSide): string[][] {
  const rows = Object.entries(candidate.operations).flatMap(([operation, now]) => {
    const old = baseline.operations[operation]
    if (old === undefined) return []
    const pair = (of: (values: OperationValues) => string) => `${of(old)} → ${of(now)}`
    return [
      [
        operation,
        pair(({ alone }) => latency(alone, 'p50')),
        ...(['p50', 'p95', 'p99'] as const).map((name) => pair(({ load }) => latency(load, name))),
        pair((values) => meanOf(values, 'throughput')?.toFixed(1) ?? '–'),
        pair((values) => percent(meanOf(values, 'errors') ?? 0)),
        pair((values) => percent(meanOf(values, 'limited') ?? 0)),
      ],
    ]
  })
  return [['ms', 'alone p50', 'load p50', 'load p95', 'load p99', 'per second', 'errors', '429'], ...rows]
}

function latency(percentiles: Percentiles | null, name: keyof Percentiles): string {
  return percentiles === null ? '–' : percentiles[name].toFixed(1)
}

function meanOf({ rounds }: OperationValues, name: keyof Round | keyof JobTimes): number | null {
  const values = rounds.map((round) => round[name] ?? null).filter((value) => value !== null)
  return values.length === 0 ? null : mean(values)
}

/** The times of jobs, if jobs were submitted. */
export function jobRows(baseline: MeasuredSide, candidate: MeasuredSide): string[][] {
  const [old, now] = [baseline.operations.runJob, candidate.operations.runJob]
  if (old === undefined || now === undefined) return []
  const pair = (name: keyof JobTimes) => [old, now].map((values) => meanOf(values, name)?.toFixed(1) ?? '–').join(' → ')
  const cells = (['queued', 'executed', 'completed'] as const).map(pair)
  return [
    ['ms', 'in the queue', 'in a worker', 'until COMPLETED'],
    ['a job', ...cells],
  ]
}
