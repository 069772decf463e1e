import { scaleLog } from 'd3-scale'
import { html } from 'hono/html'
import type { Percentiles } from '../../load/mixed/windows.ts'
import { grid, renderPage } from '../../reports/html-page.ts'
import { pageStyle } from '../../reports/html-style.ts'
import type { Answer } from '../shared/comparison/compare.ts'
import { answerLine, sumLine } from '../shared/comparison/text.ts'
import type { RegressResult } from './result.ts'
import type { OperationValues } from './rounds.ts'
import { headLines, jobRows, speedRows, wording } from './text.ts'

const rowHeight = 60
/** Share of the width that the plots take; the numbers are beside them. */
const plotPercent = 60

const style = `${pageStyle}
h1{margin-top:2.5rem}h1::first-letter{text-transform:none}
td{white-space:nowrap}
svg{display:block;width:100%;font-size:12px}svg text{fill:var(--ink)}svg .old{stroke:var(--quiet);fill:var(--quiet)}svg .new{stroke:var(--link);fill:var(--link)}svg .axis{stroke:var(--line)}
.worse{color:var(--bad)}.better{color:var(--good)}.noisy{color:var(--part)}`

/** Every kind of answer but "no difference", the worst first, with its class. */
const gradesInOrder = [
  ['worse', 'worse'],
  ['better', 'better'],
  ['too noisy to say', 'noisy'],
  ['not reported', 'noisy'],
] as const

function listed(answers: readonly Answer[]) {
  const gradeOf = Object.fromEntries(gradesInOrder)
  return html`<ul>${answers.map((one) => html`<li class="${gradeOf[one.kind] ?? ''}">${answerLine(one, wording)}</li>`)}</ul>`
}

/** The result as one page that loads nothing: every answer, and the percentiles of both sides as plots. */
export function regressPage(result: RegressResult, verdicts: string | null): string {
  const { baseline, candidate, answers } = result
  const title = `${candidate.file} compared with ${baseline.file}`
  const same = answers.filter(({ kind }) => kind === 'no difference')
  const others = gradesInOrder.flatMap(([wanted]) => answers.filter(({ kind }) => kind === wanted))
  const [speeds, jobs] = [speedRows(baseline, candidate), jobRows(baseline, candidate)].map(([heads = [], ...rows]) =>
    rows.length === 0 ? '' : grid('Baseline → candidate', heads, rows),
  )
  const body = html`<main>
<h1>${title}</h1>
${headLines(result).map((line) => html`<p>${line}</p>`)}
<h2>Answers</h2>
<p>${sumLine('regress', answers)}</p>
${listed(others)}
${same.length === 0 ? '' : html`<details><summary>${same.length} without a difference</summary>${listed(same)}</details>`}
<h2>Values</h2>
${speeds}
${jobs}
${(['alone', 'load'] as const).map(
  (kind) => html`<h2>Latency ${kind === 'alone' ? 'alone' : 'under load'}</h2>
<p class="quiet">From p50 (dot) over p95 (bar) to p99, ms; grey: ${baseline.file}, blue: ${candidate.file}</p>
${plot(result, kind)}`,
)}
${verdicts === null ? '' : html`<h2>Verdicts</h2><pre>${verdicts}</pre>`}
</main>`
  return renderPage({ title, style, body })
}

/** Both sides of each operation, on a common logarithmic scale. */
function plot({ baseline, candidate }: RegressResult, kind: 'alone' | 'load') {
  const operations = Object.keys(candidate.operations).filter((name) => name in baseline.operations)
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
