import { lengthOf } from '../../harness/common/length.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import type { MixedFacts } from '../../harness/record/events.ts'
import { type Percentiles, type Window, type Windows, windowOf } from '../../load/mixed/windows.ts'
import type { Answer } from '../shared/comparison/compare.ts'
import type { PlotSection, Summary } from '../shared/comparison/summary.ts'
import { levelLine, percent, sumLine } from '../shared/comparison/text.ts'
import { comparedWindows, measuresIn, soakWindows } from './drift.ts'

/** Windows of a mixed load. */
export const mixedWindows = 6

/** Columns of latencies, errors and 429. */
const columns = ['p50', 'p95', 'p99', 'errors', '429'] as const

/** The windows of a load in words and rows; `answers` are those of a soak. */
export function summarizeWindows(
  { kind, leadMs, forMs }: MixedFacts,
  windows: Windows,
  answers: readonly Answer[],
  tolerance: number,
): Summary {
  const count = kind === 'soak' ? soakWindows : mixedWindows
  const lengths = `${pluralize(count, 'window')} of ${lengthOf(forMs / count)} after a lead of ${lengthOf(leadMs)}`
  const perSecond = `${((1000 * windows.points.length) / forMs).toFixed(1)}`
  const advice = (rounds: number) => `--duration ${lengthOf((forMs * rounds) / comparedWindows)}`
  const wording = { measuresOf: measuresIn(windows.operations), advice }
  if (kind === 'mixed') {
    const sum = `mixed: ${pluralize(windows.points.length, 'request')}, ${perSecond} per second; nothing judged`
    return { title: 'All operations together', heads: [lengths], tables: [rowsOfMixed(windows)], answers, wording, sum }
  }
  const compared = `the first ${comparedWindows} windows → the last ${comparedWindows}`
  return {
    title: 'Soak',
    heads: [`${lengths}, ${perSecond} requests per second; ${compared}`, levelLine(answers, tolerance)],
    tables: [rowsOfSoak(windows)],
    answers,
    wording,
    sum: sumLine('soak', answers, 'drift'),
  }
}

/** The latency of each operation by window. */
export function latencyPlots({ operations }: Windows): PlotSection {
  const plots = Object.entries(operations).map(([name, windows]) => {
    const of = (percentile: 'p50' | 'p95') => windows.map(({ latency }) => latency?.[percentile] ?? null)
    return {
      name,
      lines: [
        { style: 'new', values: of('p50') },
        { style: 'new thin', values: of('p95') },
      ],
      label: 'latency of each window',
      note: (top: number, count: number) => `${top} ms at the top, ${count} windows`,
    }
  })
  const legend = 'p50 (thick) and p95 (thin) of the successful requests; a gap is a window without one'
  return { title: 'Latency of each window', legend, plots }
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
