import { html } from 'hono/html'
import { pageStyle } from '../../../reports/html-style.ts'
import type { Answer } from './compare.ts'
import { answerLine, notedAnswers, type Wording } from './text.ts'

/** The style of a page with answers and plots of an old and a new side. */
export const comparisonStyle = `${pageStyle}
h1{margin-top:2.5rem}h1::first-letter{text-transform:none}
td{white-space:nowrap}
svg{display:block;width:100%;font-size:12px}svg text{fill:var(--ink)}svg .old{stroke:var(--quiet);fill:var(--quiet)}svg .new{stroke:var(--link);fill:var(--link)}svg .axis{stroke:var(--line)}
.plots path{fill:none;stroke-width:3;vector-effect:non-scaling-stroke}.plots .thin{stroke-width:1}
.worse{color:var(--bad)}.better{color:var(--good)}.noisy{color:var(--part)}`

/** The class of an answer, by its kind. */
const classes = { worse: 'worse', better: 'better', 'too noisy to say': 'noisy', 'not reported': 'noisy' } as const

/** Every answer, the worst first, below its sum; those without a difference are folded. */
export function answersSection(answers: readonly Answer[], wording: Wording, sum: string) {
  const item = (answer: Answer, name: string) => html`<li class="${name}">${answerLine(answer, wording)}</li>`
  const same = answers.filter(({ kind }) => kind === 'no difference')
  return html`<h2>Answers</h2>
<p>${sum}</p>
<ul>${notedAnswers(answers).map(({ kind, answer }) => item(answer, classes[kind]))}</ul>
${same.length === 0 ? '' : html`<details><summary>${same.length} without a difference</summary><ul>${same.map((answer) => item(answer, ''))}</ul></details>`}`
}
