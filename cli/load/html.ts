import { html } from 'hono/html'
import type { Window, Windows } from '../../load/mixed/windows.ts'
import { grid, renderPage } from '../../reports/html-page.ts'
import type { Answer } from '../shared/comparison/compare.ts'
import { answersSection, comparisonStyle } from '../shared/comparison/html.ts'
import { linePlot } from '../shared/comparison/line-plot.ts'
import type { WindowsSummary } from './windows-summary.ts'

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
  if (windows.every(({ latency }) => latency === null))
    return html`<b><code>${name}</code></b> <span class="quiet">no success</span>`
  const of = (percentile: 'p50' | 'p95') => windows.map(({ latency }) => latency?.[percentile] ?? null)
  return linePlot({
    name,
    lines: [
      { style: 'new', values: of('p50') },
      { style: 'new thin', values: of('p95') },
    ],
    label: 'latency of each window',
    note: (top, count) => `${top} ms at the top, ${count} windows`,
  })
}
