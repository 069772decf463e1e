import { scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { html } from 'hono/html'
import type { Window, Windows } from '../../load/mixed/windows.ts'
import { grid, renderPage } from '../../reports/html-page.ts'
import type { Answer } from '../shared/comparison/compare.ts'
import { answersSection, comparisonStyle } from '../shared/comparison/html.ts'
import type { WindowsSummary } from './windows-summary.ts'

/** Units of the drawing of one operation, which is stretched to the width of the page. */
const size = { width: 100, height: 60 } as const

/** The windows of a load of all operations as one page that loads nothing: each answer, the values, and a plot of each operation. */
export function windowsPage(summary: WindowsSummary, { operations }: Windows, answers: readonly Answer[]): string {
  const { kind, heads, rows, wording, sum } = summary
  const title = kind === 'soak' ? 'Soak' : 'All operations together'
  const [names = [], ...cells] = rows
  const body = html`<main>
<h1>${title}</h1>
${heads.map((head) => html`<p>${head}</p>`)}
${kind === 'soak' ? answersSection(answers, wording, sum) : html`<p>${sum}</p>`}
<h2>Values</h2>
${grid('Of each operation', names, cells)}
<h2>Latency of each window</h2>
<p class="quiet">p50 (thick) and p95 (thin) of the successful requests; a gap is a window without one</p>
<ol class="plain plots">${Object.entries(operations).map(([name, windows]) => html`<li>${latencyPlot(name, windows)}</li>\n`)}</ol>
</main>`
  return renderPage({ title, style: comparisonStyle, body })
}

function latencyPlot(name: string, windows: readonly Window[]) {
  const values = windows.flatMap(({ latency }) => (latency === null ? [] : [latency.p95]))
  if (values.length === 0) return html`<b><code>${name}</code></b> <span class="quiet">no success</span>`
  const x = scaleLinear([0, Math.max(1, windows.length - 1)], [0, size.width])
  const y = scaleLinear([0, Math.max(...values)], [size.height, 0]).nice()
  const drawn = (percentile: 'p50' | 'p95') =>
    line<Window>(
      (_, at) => x(at),
      ({ latency }) => y(latency?.[percentile] ?? 0),
    )
      .defined(({ latency }) => latency !== null)
      .digits(2)([...windows])
  const said = `${y.domain()[1]} ms at the top, ${windows.length} windows`
  return html`<b><code>${name}</code></b> <span class="quiet">${said}</span>
<svg viewBox="0 0 ${size.width} ${size.height}" preserveAspectRatio="none" role="img" aria-label="${name}: latency of each window, ${said}"><path class="new" d="${drawn('p50') ?? ''}"/><path class="new thin" d="${drawn('p95') ?? ''}"/></svg>`
}
