import type { PlotSection } from '../shared/comparison/summary.ts'
import type { RegressResult } from './result.ts'
import type { OperationValues } from './rounds.ts'
import { commonOperations } from './summary.ts'

/** Latency percentiles of both sides, and their requests per second by round, served and refused, with the rate of starts. */
export function plotsOf(result: RegressResult): PlotSection[] {
  const { baseline, candidate } = result
  const operations = commonOperations(result)
  const colours = `grey: ${baseline.file}, blue: ${candidate.file}`
  const sidesOf = (name: string) =>
    [
      ['old', baseline.operations[name]],
      ['new', candidate.operations[name]],
    ] as const
  const latency = (kind: 'alone' | 'load'): PlotSection => ({
    title: `Latency ${kind === 'alone' ? 'alone' : 'under load'}`,
    legend: `p50, p95 and p99, ms; ${colours}`,
    plots: operations.map((name) => ({
      name,
      lines: sidesOf(name).map(([style, values]) => ({ style, values: percentilesOf(values, kind) })),
      label: 'latency percentiles of both sides',
      note: (top) => `${top} ms at the top`,
    })),
  })
  const rates = operations.map((name) => {
    // 0 if no request succeeded, so that there is nothing to draw.
    const perSecond = candidate.operations[name]?.perSecond ?? 0
    const roundsOf = (values: OperationValues | undefined) => (perSecond === 0 ? [] : (values?.rounds ?? []))
    return {
      name,
      lines: sidesOf(name).flatMap(([side, values]) => [
        { style: `${side} thick`, values: roundsOf(values).map(({ throughput }) => throughput) },
        { style: `${side} thin`, values: roundsOf(values).map(({ limited }) => limited * perSecond) },
      ]),
      label: 'served and refused requests per second of both sides',
      note: (top: number, rounds: number) =>
        `${perSecond.toFixed(1)} started per second, ${top} at the top, ${rounds} rounds`,
      level: perSecond,
    }
  })
  const legend = `Of each round: served (thick) and refused with 429 (thin), beside the fixed rate of starts (dashes); ${colours}`
  return [latency('alone'), latency('load'), { title: 'Requests per second', legend, plots: rates }]
}

function percentilesOf(values: OperationValues | undefined, kind: 'alone' | 'load'): readonly number[] {
  const { p50, p95, p99 } = values?.[kind] ?? {}
  return [p50, p95, p99].flatMap((ms) => ms ?? [])
}
