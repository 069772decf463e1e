import { html } from 'hono/html'
import { grid, renderPage } from '../../reports/html-page.ts'
import { pageStyle } from '../../reports/html-style.ts'
import type { Answer } from '../shared/comparison/compare.ts'
import { answerLine, sumLine } from '../shared/comparison/text.ts'
import { percentilePlot, ratePlots } from './plots.ts'
import type { RegressResult } from './result.ts'
import { headLines, jobRows, speedRows, wording } from './text.ts'

const style = `${pageStyle}
h1{margin-top:2.5rem}h1::first-letter{text-transform:none}
td{white-space:nowrap}
svg{display:block;width:100%;font-size:12px}svg text{fill:var(--ink)}svg .old{stroke:var(--quiet);fill:var(--quiet)}svg .new{stroke:var(--link);fill:var(--link)}svg .axis{stroke:var(--line)}
.plots path{fill:none;stroke-width:3;vector-effect:non-scaling-stroke}.plots .refused{stroke-width:1}
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
${percentilePlot(result, kind)}`,
)}
<h2>Requests per second</h2>
<p class="quiet">Of each round: served (thick) and refused with 429 (thin), beside the fixed rate of starts (dashes); grey: ${baseline.file}, blue: ${candidate.file}</p>
${ratePlots(result)}
${verdicts === null ? '' : html`<h2>Verdicts</h2><pre>${verdicts}</pre>`}
</main>`
  return renderPage({ title, style, body })
}
