import { html } from 'hono/html'
import { grid, renderPage } from '../../reports/html-page.ts'
import { answersSection, comparisonStyle } from '../shared/comparison/html.ts'
import { sumLine } from '../shared/comparison/text.ts'
import { percentilePlot, ratePlots } from './plots.ts'
import type { RegressResult } from './result.ts'
import { headLines, jobRows, speedRows, wording } from './text.ts'

/** The result as one page that loads nothing: every answer, and the percentiles of both sides as plots. */
export function regressPage(result: RegressResult, verdicts: string | null): string {
  const { baseline, candidate, answers } = result
  const title = `${candidate.file} compared with ${baseline.file}`
  const [speeds, jobs] = [speedRows(baseline, candidate), jobRows(baseline, candidate)].map(([heads = [], ...rows]) =>
    rows.length === 0 ? '' : grid('Baseline → candidate', heads, rows),
  )
  const body = html`<main>
<h1>${title}</h1>
${headLines(result).map((line) => html`<p>${line}</p>`)}
${answersSection(answers, wording, sumLine('regress', answers))}
<h2>Values</h2>
${speeds}
${jobs}
${(['alone', 'load'] as const).map(
  (kind) => html`<h2>Latency ${kind === 'alone' ? 'alone' : 'under load'}</h2>
<p class="quiet">From p50 (dot) over p95 (bar) to p99, ms; grey: ${baseline.file}, blue: ${candidate.file}</p>
${percentilePlot(result, kind)}`,
)}
<h2>Requests per second</h2>
<p class="quiet">Of each round: served (thick) and refused with 429 (thin), beside the fixed rate of starts (dashes); grey: ${baseline.file}, blue: ${candidate.file}</p>
${ratePlots(result)}
${verdicts === null ? '' : html`<h2>Verdicts</h2><pre>${verdicts}</pre>`}
</main>`
  return renderPage({ title, style: comparisonStyle, body })
}
