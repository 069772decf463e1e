import { html } from 'hono/html'
import type { Percentiles } from '../../load/mixed/windows.ts'
import { renderPage } from '../../reports/html-page.ts'
import { pageStyle } from '../../reports/html-style.ts'
import { answerLine } from '../shared/comparison/text.ts'
import type { RegressResult } from './result.ts'
import type { OperationValues } from './rounds.ts'
import { wording } from './text.ts'

const rowHeight = 44
const plotWidth = 720
const labelWidth = 170

const style = `${pageStyle}
svg{width:100%;height:auto;font-size:12px}svg text{fill:var(--ink)}svg .old{stroke:var(--quiet);fill:var(--quiet)}svg .new{stroke:var(--link);fill:var(--link)}svg .axis{stroke:var(--line)}
.worse{color:var(--bad)}.better{color:var(--good)}.noisy{color:var(--part)}`

/** The result as one page that loads nothing: every answer, and the percentiles of both sides as plots. */
export function regressPage(result: RegressResult, verdicts: string | null): string {
  const { baseline, candidate, answers } = result
  const gradeOf = {
    worse: 'worse',
    better: 'better',
    'too noisy to say': 'noisy',
    'not reported': 'noisy',
    'no difference': '',
  } as const
  const title = `${candidate.file} compared with ${baseline.file}`
  const body = html`<main>
<h1>${title}</h1>
<h2>Answers</h2>
<ul>${answers.map((answer) => html`<li class="${gradeOf[answer.kind]}">${answerLine(answer, wording)}</li>`)}</ul>
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
  const [least, most] = [Math.min(...shown.map(({ p50 }) => p50)) / 1.1, Math.max(...shown.map(({ p99 }) => p99)) * 1.1]
  const x = (ms: number) => labelWidth + ((plotWidth - labelWidth) * Math.log(ms / least)) / Math.log(most / least)
  const range = (side: 'old' | 'new', percentiles: Percentiles | null, y: number) => {
    if (percentiles === null) return html`<text x="${labelWidth}" y="${y + 4}">no success</text>`
    const [p50, p95, p99] = [percentiles.p50, percentiles.p95, percentiles.p99].map((ms) => x(ms).toFixed(1))
    const said = (['p50', 'p95', 'p99'] as const).map((name) => `${name} ${percentiles[name].toFixed(1)} ms`).join(', ')
    return html`<g class="${side}"><title>${said}</title><line x1="${p50}" x2="${p99}" y1="${y}" y2="${y}" stroke-width="2"/><circle cx="${p50}" cy="${y}" r="4"/><line x1="${p95}" x2="${p95}" y1="${y - 5}" y2="${y + 5}" stroke-width="2"/></g>
<text x="${plotWidth + 8}" y="${y + 4}">${Object.values(percentiles)
      .map((ms) => ms.toFixed(1))
      .join(' / ')}</text>`
  }
  return html`<svg viewBox="0 0 ${plotWidth + 140} ${operations.length * rowHeight}" role="img" aria-label="Percentiles of both sides for each operation">
${operations.map((name, at) => {
  const y = at * rowHeight
  return html`<line class="axis" x1="0" x2="${plotWidth + 140}" y1="${y}" y2="${y}"/><text x="0" y="${y + 26}">${name}</text>
${range('old', of(baseline.operations, name), y + 14)}${range('new', of(candidate.operations, name), y + 32)}`
})}
</svg>`
}
