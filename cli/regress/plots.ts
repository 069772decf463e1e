import { scaleLog } from 'd3-scale'
import { html } from 'hono/html'
import type { Percentiles } from '../../load/mixed/windows.ts'
import { linePlot } from '../shared/comparison/line-plot.ts'
import type { RegressResult } from './result.ts'
import type { OperationValues } from './rounds.ts'

const rowHeight = 60
/** Share of the width that the percentiles take; the numbers are beside them. */
const plotPercent = 60

/** The operations that both sides have measured. */
function common({ baseline, candidate }: RegressResult): string[] {
  return Object.keys(candidate.operations).filter((name) => name in baseline.operations)
}

/** Latency percentiles of both sides of each operation, on a common logarithmic scale. */
export function percentilePlot(result: RegressResult, kind: 'alone' | 'load') {
  const { baseline, candidate } = result
  const operations = common(result)
  const of = (side: Readonly<Record<string, OperationValues>>, name: string): Percentiles | null =>
    side[name]?.[kind] ?? null
  const all = operations.flatMap((name) => [of(baseline.operations, name), of(candidate.operations, name)])
  const shown = all.filter((one) => one !== null)
  const extent = [Math.min(...shown.map(({ p50 }) => p50)) / 1.1, Math.max(...shown.map(({ p99 }) => p99)) * 1.1]
  const scale = scaleLog(extent, [0, plotPercent])
  // Percentages, so that the text has the same size on a narrow screen.
  const x = (ms: number) => `${scale(ms).toFixed(2)}%`
  const range = (side: 'old' | 'new', percentiles: Percentiles | null, y: number) => {
    if (percentiles === null) return html`<text x="0" y="${y + 4}">no success</text>`
    const [p50, p95, p99] = [percentiles.p50, percentiles.p95, percentiles.p99].map(x)
    const said = (['p50', 'p95', 'p99'] as const).map((name) => `${name} ${percentiles[name].toFixed(1)} ms`).join(', ')
    return html`<g class="${side}"><title>${said}</title><line x1="${p50}" x2="${p99}" y1="${y}" y2="${y}" stroke-width="2"/><circle cx="${p50}" cy="${y}" r="4"/><line x1="${p95}" x2="${p95}" y1="${y - 5}" y2="${y + 5}" stroke-width="2"/></g>
<text x="${plotPercent + 2}%" y="${y + 4}">${Object.values(percentiles)
      .map((ms) => ms.toFixed(1))
      .join(' / ')}</text>`
  }
  return html`<svg height="${operations.length * rowHeight}" role="img" aria-label="Percentiles of both sides for each operation">
${operations.map((name, at) => {
  const y = at * rowHeight
  return html`<line class="axis" x1="0" x2="100%" y1="${y}" y2="${y}"/><text x="0" y="${y + 18}">${name}</text>
${range('old', of(baseline.operations, name), y + 30)}${range('new', of(candidate.operations, name), y + 48)}`
})}
</svg>`
}

/** Requests per second of both sides, served and refused, by round, with the rate at which they start. */
export function ratePlots(result: RegressResult) {
  return html`<ol class="plain plots">${common(result).map((name) => html`<li>${ratePlot(result, name)}</li>\n`)}</ol>`
}

function ratePlot({ baseline, candidate }: RegressResult, name: string) {
  const perSecond = candidate.operations[name]?.perSecond ?? null
  if (perSecond === null) return html`<b><code>${name}</code></b> <span class="quiet">no success</span>`
  const lines = (['old', 'new'] as const).flatMap((side) => {
    const rounds = (side === 'old' ? baseline : candidate).operations[name]?.rounds ?? []
    return [
      { style: `${side} thick`, values: rounds.map(({ throughput }) => throughput) },
      { style: `${side} thin`, values: rounds.map(({ limited }) => limited * perSecond) },
    ]
  })
  return linePlot({
    name,
    lines,
    label: 'served and refused requests per second of both sides',
    note: (top, rounds) => `${perSecond.toFixed(1)} started per second, ${top} at the top, ${rounds} rounds`,
    level: perSecond,
  })
}
