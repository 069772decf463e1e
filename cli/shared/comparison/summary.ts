import { html } from 'hono/html'
import { grid, renderPage } from '../../../reports/html-page.ts'
import { pageStyle } from '../../../reports/html-style.ts'
import type { Paint } from '../../../reports/text.ts'
import type { Answer } from './compare.ts'
import { type LinePlot, linePlot } from './line-plot.ts'
import { aligned, answerLine, answerLines, notedAnswers, type Wording } from './text.ts'

/** Everything that the terminal and the page say of a comparison, or of values without one. */
export interface Summary {
  readonly title: string
  /** How it was measured. */
  readonly heads: readonly string[]
  /** Tables of the values; the first row of each has its headings. */
  readonly tables: readonly (readonly (readonly string[])[])[]
  readonly answers: readonly Answer[]
  readonly wording: Wording
  readonly sum: string
}

/** The drawings below one heading. */
export interface PlotSection {
  readonly title: string
  readonly legend: string
  readonly plots: readonly LinePlot[]
}

/** The summary as lines: the values, each answer that is not "no difference", and the sum. */
export function summaryLines({ heads, tables, answers, wording, sum }: Summary, paint: Paint): string[] {
  const parts = [heads, ...tables.map(aligned), answerLines(answers, wording, paint), [sum]]
  return parts.filter(({ length }) => length > 0).flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]))
}

const style = `${pageStyle}
h1{margin-top:2.5rem}h1::first-letter{text-transform:none}
td{white-space:nowrap}
svg{display:block;width:100%}svg .old{stroke:var(--quiet)}svg .new{stroke:var(--link)}
.plots path{fill:none;stroke-width:3;vector-effect:non-scaling-stroke}.plots .thin{stroke-width:1}
.worse{color:var(--bad)}.better{color:var(--good)}.noisy{color:var(--part)}`

/** The class of an answer, by its kind. */
const classes = { worse: 'worse', better: 'better', 'too noisy to say': 'noisy', 'not reported': 'noisy' } as const

/** The summary as one page that loads nothing, with drawings; `verdicts`: a text about verdicts, null without one. */
export function summaryPage(
  { title, heads, tables, answers, wording, sum }: Summary,
  plots: readonly PlotSection[],
  verdicts: string | null = null,
): string {
  const item = (answer: Answer, name: string) => html`<li class="${name}">${answerLine(answer, wording)}</li>`
  const same = answers.filter(({ kind }) => kind === 'no difference')
  const body = html`<main>
<h1>${title}</h1>
${heads.map((head) => html`<p>${head}</p>`)}
${answers.length === 0 ? '' : html`<h2>Answers</h2>`}
<p>${sum}</p>
<ul>${notedAnswers(answers).map(({ kind, answer }) => item(answer, classes[kind]))}</ul>
${same.length === 0 ? '' : html`<details><summary>${same.length} without a difference</summary><ul>${same.map((answer) => item(answer, ''))}</ul></details>`}
<h2>Values</h2>
${tables.map(([names = [], ...rows]) => grid('Of each operation', names, rows))}
${plots.map(sectionOf)}
${verdicts === null ? '' : html`<h2>Verdicts</h2><pre>${verdicts}</pre>`}
</main>`
  return renderPage({ title, style, body })
}

function sectionOf({ title, legend, plots }: PlotSection) {
  return html`<h2>${title}</h2>
<p class="quiet">${legend}</p>
<ol class="plain plots">${plots.map((plot) => html`<li>${linePlot(plot)}</li>\n`)}</ol>
`
}
