import { lengthOf } from '../../harness/common/length.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import type { MixedFacts } from '../../harness/record/events.ts'
import { type Percentiles, type Window, type Windows, windowOf } from '../../load/mixed/windows.ts'
import type { Answer } from '../shared/comparison/compare.ts'
import { levelLine, percent, sumLine, type Wording } from '../shared/comparison/text.ts'
import { comparedWindows, measuresIn, soakWindows } from './drift.ts'

/** Windows of a mixed load. */
export const mixedWindows = 6

/** Columns of latencies, errors and 429. */
const columns = ['p50', 'p95', 'p99', 'errors', '429'] as const

/** All that the terminal and the page say of the windows. */
export interface WindowsSummary {
  readonly kind: MixedFacts['kind']
  readonly heads: readonly string[]
  /** The first row has the headings. */
  readonly rows: readonly (readonly string[])[]
  readonly wording: Wording
  readonly sum: string
}

/** The windows of a load in words and rows; `answers` are those of a soak. */
export function summarizeWindows(
  { kind, leadMs, forMs }: MixedFacts,
  windows: Windows,
  answers: readonly Answer[],
  tolerance: number,
): WindowsSummary {
  const count = kind === 'soak' ? soakWindows : mixedWindows
  const lengths = `${pluralize(count, 'window')} of ${lengthOf(forMs / count)} after a lead of ${lengthOf(leadMs)}`
  const perSecond = `${((1000 * windows.points.length) / forMs).toFixed(1)}`
  const advice = (rounds: number) => `--duration ${lengthOf((forMs * rounds) / comparedWindows)}`
  const wording = { measuresOf: measuresIn(windows.operations), advice }
  if (kind === 'mixed') {
    const sum = `mixed: ${pluralize(windows.points.length, 'request')}, ${perSecond} per second; nothing judged`
    return { kind, heads: [lengths], rows: rowsOfMixed(windows), wording, sum }
  }
  const compared = `the first ${comparedWindows} windows → the last ${comparedWindows}`
  return {
    kind,
    heads: [`${lengths}, ${perSecond} requests per second; ${compared}`, levelLine(answers, tolerance)],
    rows: rowsOfSoak(windows),
    wording,
    sum: sumLine('soak', answers, 'drift'),
  }
}

/** All requests of each operation, and the median of each window. */
function rowsOfMixed({ operations, points }: Windows): string[][] {
  const rows = Object.entries(operations).map(([operation, windows]) => {
    const own = points.filter((point) => point.operation === operation)
    const medians = windows.map((window) => latencyText(window, 'p50')).join(' ')
    return [operation, String(own.length), ...cellsOf(windowOf(own)), medians]
  })
  return [['ms', 'requests', ...columns, 'p50 of each window'], ...rows]
}

/** The first and the last third of each operation. */
function rowsOfSoak({ operations, points, fromMs, lengthMs }: Windows): string[][] {
  const partMs = comparedWindows * lengthMs
  const lastMs = fromMs + soakWindows * lengthMs - partMs
  const rows = Object.keys(operations).map((operation) => {
    const own = points.filter((point) => point.operation === operation)
    const first = windowOf(own.filter(({ sentMs }) => sentMs < fromMs + partMs))
    const last = windowOf(own.filter(({ sentMs }) => sentMs >= lastMs))
    const pair = (now: string, at: number) => `${cellsOf(first)[at]} → ${now}`
    const counts = [first, last].map(({ unfinished }) => unfinished?.toFixed(1))
    return [
      operation,
      String(own.length),
      ...cellsOf(last).map(pair),
      counts.includes(undefined) ? '' : counts.join(' → '),
    ]
  })
  return [['ms', 'requests', ...columns, 'unfinished'], ...rows]
}

function cellsOf(window: Window): string[] {
  const latencies = (['p50', 'p95', 'p99'] as const).map((name) => latencyText(window, name))
  return [...latencies, percent(window.errors), percent(window.limited)]
}

function latencyText({ latency }: Window, name: keyof Percentiles): string {
  return latency === null ? '–' : latency[name].toFixed(1)
}
