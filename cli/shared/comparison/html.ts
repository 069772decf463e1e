import { html } from 'hono/html'
import { pageStyle } from '../../../reports/html-style.ts'
import type { Answer } from './compare.ts'
import { answerLine, type Wording } from './text.ts'

/** The style of a page with answers and plots of an old and a new side. */
export const comparisonStyle = `${pageStyle}
h1{margin-top:2.5rem}h1::first-letter{text-transform:none}
td{white-space:nowrap}
svg{display:block;width:100%;font-size:12px}svg text{fill:var(--ink)}svg .old{stroke:var(--quiet);fill:var(--quiet)}svg .new{stroke:var(--link);fill:var(--link)}svg .axis{stroke:var(--line)}
.plots path{fill:none;stroke-width:3;vector-effect:non-scaling-stroke}.plots .thin{stroke-width:1}
.worse{color:var(--bad)}.better{color:var(--good)}.noisy{color:var(--part)}`

/** Every kind of answer but "no difference", the worst first, with its class. */
const gradesInOrder = [
  ['worse', 'worse'],
  ['better', 'better'],
  ['too noisy to say', 'noisy'],
  ['not reported', 'noisy'],
] as const

/** Every answer, the worst first, below its sum; those without a difference are folded. */
export function answersSection(answers: readonly Answer[], wording: Wording, sum: string) {
  const same = answers.filter(({ kind }) => kind === 'no difference')
  const others = gradesInOrder.flatMap(([wanted]) => answers.filter(({ kind }) => kind === wanted))
  return html`<h2>Answers</h2>
<p>${sum}</p>
${listed(others, wording)}
${same.length === 0 ? '' : html`<details><summary>${same.length} without a difference</summary>${listed(same, wording)}</details>`}`
}

function listed(answers: readonly Answer[], wording: Wording) {
  const gradeOf = Object.fromEntries(gradesInOrder)
  return html`<ul>${answers.map((one) => html`<li class="${gradeOf[one.kind] ?? ''}">${answerLine(one, wording)}</li>`)}</ul>`
}
