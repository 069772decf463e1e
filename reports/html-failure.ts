import { html } from 'hono/html'
import { lengthOf } from '../harness/common/length.ts'
import { pluralize } from '../harness/common/pluralize.ts'
import { ownerText } from '../harness/exchange/owner-names.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import { exchangeLine } from '../results/shown.ts'
import type { Results, RuleResult, ShownExchange, ShownMessage } from '../results/types.ts'
import { failureCauses } from './causes.ts'
import { jsonLines } from './json.ts'
import { acceptedText, brokenBy, logMark, reasonOf, visible } from './sort.ts'

export type Markup = ReturnType<typeof html>

/** With more cards than this, all begin folded. */
const openCards = 1

/** A section of cards: those with one likely cause under its heading, the others by themselves. */
export function failures(results: Results, id: string, title: string, rules: readonly RuleResult[]): Markup | null {
  if (rules.length === 0) return null
  const causes = failureCauses(rules)
  const isShort = rules.length <= openCards
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title} <small>${rules.length}</small></h2>
${causes.length < rules.length ? html`<p class="quiet">By likely cause: the same observation on the same operation.</p>` : null}
${causes.map(({ title, rules }) =>
  rules.length === 1
    ? rules.map((rule) => card(results, rule, 3, isShort))
    : html`<section class="cause"><h3><b>${rules.length} rules</b> ${title}</h3>
${rules.map((rule) => card(results, rule, 4, false))}</section>`,
)}
</section>`
}

function card({ run }: Results, rule: RuleResult, level: 3 | 4, open: boolean): Markup {
  const { id, profile, source, says, findings, omitted, scenario, curl, rerun, verdict } = rule
  const accepted = acceptedText(rule)
  const shows = new Set(findings.map(({ exchange }) => exchange))
  const [first] = scenario.filter(({ n }) => shows.has(n))
  const about = findings.map(({ clause, expected, observed }) => `${clause} ${expected} ${observed}`).join(' ')
  const [gist] = findings
  const given = Object.entries(rule.fromTarget ?? {})
  const heading = level === 3 ? html`<h3><code>${id}</code></h3>` : html`<h4><code>${id}</code></h4>`
  return html`<details id="${id}" class="card v-${accepted === null ? verdict : 'accepted'}"${open ? html` open` : null}>
<summary>${heading}<span class="says">${says}</span>${gist === undefined ? null : html`<span class="gist">Observed: ${visible(gist.observed)}</span>`}</summary>
<p class="quiet">${rule.level} rule, profile ${profile}, from “${source}” of the API description</p>
${accepted === null ? null : html`<p>This failure is not counted: ${visible(accepted)}.</p>`}
${verdict === 'broken' ? html`<p><b>${brokenBy}</b>: ${visible(reasonOf(rule))}</p>` : null}
${findings.map(finding)}
${omitted.findings > 0 ? html`<p class="quiet">${isInRecord(omitted.findings, 'more finding')}</p>` : null}
${first === undefined ? null : renderExchange(first, true, about)}
${scenario.length > 1 ? html`<details class="fold"><summary>All ${scenario.length} exchanges of the scenario</summary>${scenario.map((one) => renderExchange(one, false))}${left(omitted.exchanges)}</details>` : null}
${curl.length === 0 ? null : html`<details class="fold"><summary>Reproduce by hand, in bash</summary><pre class="shell" tabindex="0" data-copy="the shell lines">${curl.join('\n')}</pre></details>`}
<dl>
${given.length === 0 ? null : html`<dt>Sent as in the target file</dt><dd>${given.map(([key, value]) => html`<code>${key}</code> ${visible(value)} `)}</dd>`}
${rerun === '' ? null : html`<dt>Rerun this rule</dt><dd><code data-copy="the command that reruns ${id}">${rerun}</code></dd>`}
${run.traffic ? null : html`<dt>In the target's log</dt><dd><code>${logMark(run.id, id)}</code></dd>`}
</dl>
</details>
`
}

function finding({ clause, expected, observed, exchange }: Finding): Markup {
  return html`<dl class="finding">
<div class="clause"><dt>Clause</dt><dd><code>${clause}</code>${exchange === null ? null : html` <span class="quiet">exchange ${exchange}</span>`}</dd></div>
<div class="expected"><dt>Expected</dt><dd>${visible(expected)}</dd></div>
<div class="observed"><dt>Observed</dt><dd>${visible(observed)}</dd></div>
</dl>`
}

const kinds: Readonly<Record<ShownMessage['bodyKind'], string>> = {
  text: '',
  none: 'no body',
  cut: 'the beginning',
  base64: 'base64, because it is not text',
  'base64-cut': 'base64 of the beginning, because it is not text',
}

/** One exchange as on the wire, secrets as marks; JSON is indented, and the members that `about` names are marked. */
function renderExchange(exchange: ShownExchange, open: boolean, about = ''): Markup {
  const { n, owner, operation, request, response, failure, sentMs, receivedMs, waitedMs, polls } = exchange
  const asked = polls === null ? '' : `, sent ${polls.count} times: ${polls.from} … ${polls.to}`
  const waited = waitedMs < 1 ? '' : `, after a wait of ${lengthOf(waitedMs)}`
  return html`<details class="fold exchange"${open ? html` open` : null}>
<summary><b>${n}</b> ${visible(exchangeLine(exchange))}</summary>
<p class="quiet">${operation}, ${sentBy(owner)}, answered in ${lengthOf(receivedMs - sentMs)}${visible(asked)}${waited}</p>
<div class="sides">
<pre>${`${request.method} ${visible(request.url)}\n`}${message(request, about)}</pre>
<pre>${`${response === null ? visible(failure ?? 'no response') : response.status}\n`}${response === null ? null : message(response, about)}</pre>
</div>
</details>
`
}

/** The rule that sent a request, or the work for which it was sent. */
function sentBy(owner: string): string {
  const work = ownerText(owner)
  return work === owner ? `sent by ${owner}` : `sent while ${work}`
}

function message({ headers, body, bodyKind, bodyBytes }: ShownMessage, about: string): Markup {
  const lines = headers.map(([name, value]) => `${visible(name)}: ${visible(value)}`).join('\n')
  const kind = kinds[bodyKind]
  const note = kind === '' ? '' : bodyKind === 'none' ? `(${kind})` : `(${kind}; ${bodyBytes} bytes in all)`
  return html`<span class="quiet">${lines}</span>\n\n${bodyKind === 'text' ? shownBody(body ?? '', about) : plainText(body ?? '')}${note === '' ? null : html`<i>${(body ?? '') === '' ? '' : '\n'}${note}</i>`}`
}

function shownBody(body: string, about: string): Markup {
  const lines = jsonLines(body, about)
  if (lines === null) return plainText(body)
  return html`${lines.map(({ text, isMarked }) => (isMarked ? html`<mark>${visible(text)}</mark>\n` : `${visible(text)}\n`))}`
}

function plainText(text: string): Markup {
  return html`${text.split('\n').map(visible).join('\n')}`
}

function left(exchanges: number): Markup | null {
  return exchanges === 0 ? null : html`<p class="quiet">${isInRecord(exchanges, 'more exchange')}</p>`
}

function isInRecord(many: number, noun: string): string {
  return `${pluralize(many, noun)} ${many === 1 ? 'is' : 'are'} in the record.`
}
