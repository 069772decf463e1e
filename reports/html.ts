import { html } from 'hono/html'
import { lengthOf } from '../harness/common/length.ts'
import { pluralize } from '../harness/common/pluralize.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import type {
  KnownResult,
  ProfileCoverage,
  Results,
  RuleResult,
  ShownExchange,
  ShownMessage,
} from '../results/types.ts'
import { verdictOrder } from '../verdicts/verdicts.ts'
import { pageStyle } from './html-style.ts'
import { brokenBy, gradeOf, logMark, reasonOf, sortRules, tallyOf, took, unclaimedParts, visible } from './sort.ts'

type Markup = ReturnType<typeof html>

/**
 * One file without network or script: failures first, then rules that were not verified, readings, passed rules.
 * Everything from the target is escaped, and a policy of the page forbids loading anything.
 */
export function renderHtml(results: Results): string {
  const { run, verdict } = results
  const groups = sortRules(results)
  const title = `${verdict.word}: ${run.target}`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${pageStyle}</style>
</head>
<body>
<header class="${gradeOf(verdict)}">
<h1>${verdict.word}</h1>
<p>${verdict.line.slice(verdict.word.length + 2)}</p>
<p class="quiet">${run.target} · exit ${verdict.exit}</p>
</header>
<main>
${tally(results)}
${coverage(results.coverage)}
${section('failures', 'Failures', groups.failures, (rule) => failure(results, rule))}
${known(results.known)}
${section('lesser', 'Advice and accepted failures', groups.lesser, (rule) => failure(results, rule))}
${table('not-verified', 'Not verified', groups.notVerified, 'Why', (rule) => html`<b>${rule.verdict}</b>: ${visible(reasonOf(rule))}`)}
${table('in-part', 'Judged in part', groups.inPart, 'Not judged', unjudged)}
${table('readings', 'Open in the description', groups.readings, 'Readings', readings)}
${table('passed', 'Passed', groups.passed, 'Exchanges', (rule) => html`${rule.exchanges}`)}
${provenance(results)}
</main>
</body>
</html>
`
  if (page instanceof Promise) throw new Error('a part of the report is a promise; pass only results to renderHtml')
  return page.toString()
}

function tally({ counts, run }: Results): Markup {
  const parts = verdictOrder.filter((verdict) => counts[verdict] !== undefined)
  return html`<ul class="tally">${parts.map((verdict) => html`<li class="v-${verdict}"><b>${counts[verdict]}</b> ${verdict}</li>`)}</ul>
<p class="quiet">${pluralize(run.exchanges, 'exchange')} in ${took(run)}</p>`
}

function coverage(rows: readonly ProfileCoverage[]): Markup {
  return grid(
    ['profile', 'must rules', 'verified', 'of them in part', 'unclaimed', 'not applicable', 'claimed, not verified'],
    rows.map((row) => [
      ...[row.profile, row.must, row.verified, row.inPart],
      ...[row.unclaimed, row.notApplicable, row.notVerified],
    ]),
  )
}

function grid(heads: readonly string[], rows: readonly (readonly (Markup | string | number)[])[]): Markup {
  return html`<div class="wide"><table><thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`
}

function section(
  id: string,
  title: string,
  rules: readonly RuleResult[],
  to: (rule: RuleResult) => Markup,
): Markup | null {
  if (rules.length === 0) return null
  return html`<section id="${id}"><h2>${title} <small>${rules.length}</small></h2>
${rules.map(to)}
</section>`
}

function failure({ run }: Results, rule: RuleResult): Markup {
  const { id, level, profile, source, says, findings, omitted, scenario, curl, rerun, verdict, known } = rule
  const shows = new Set(findings.map(({ exchange }) => exchange))
  const [first] = scenario.filter(({ n }) => shows.has(n))
  return html`<article id="${id}" class="v-${known === null ? verdict : 'accepted'}">
<h3>${id}</h3>
<p class="says">${says}</p>
<p class="quiet">${level} rule, profile ${profile}, from “${source}” of the API description</p>
${known === null ? null : html`<p>Accepted until ${known.expires}: ${known.reason}</p>`}
${verdict === 'broken' ? html`<p><b>${brokenBy}</b>: ${visible(reasonOf(rule))}</p>` : null}
${findings.map(finding)}
${omitted.findings > 0 ? html`<p class="quiet">${isInRecord(omitted.findings, 'more finding')}</p>` : null}
${first === undefined ? null : html`<h4>The exchange that shows the failure</h4>${renderExchange(first, true)}`}
${scenario.length > 1 ? html`<details><summary>All ${scenario.length} exchanges of the scenario</summary>${scenario.map((one) => renderExchange(one, false))}${left(omitted.exchanges)}</details>` : null}
${curl.length === 0 ? null : html`<details open><summary>Reproduce by hand, in bash</summary><pre class="shell">${curl.join('\n')}</pre></details>`}
<dl>
<dt>Rerun this rule</dt><dd><code>${rerun}</code></dd>
<dt>In the target's log</dt><dd><code>${logMark(run.id, id)}</code></dd>
</dl>
</article>
`
}

const kinds: Readonly<Record<ShownMessage['bodyKind'], string>> = {
  text: '',
  none: 'no body',
  cut: 'the beginning',
  base64: 'base64, because it is not text',
  'base64-cut': 'base64 of the beginning, because it is not text',
}

/** One exchange as on the wire, secrets as marks. */
function renderExchange(exchange: ShownExchange, open: boolean): Markup {
  const { n, owner, operation, request, response, failure, sentMs, receivedMs, waitedMs, polls } = exchange
  const answer = response === null ? (failure ?? 'no response') : String(response.status)
  const asked = polls === null ? '' : `, sent ${polls.count} times: ${polls.from} … ${polls.to}`
  const waited = waitedMs < 1 ? '' : `, after a wait of ${lengthOf(waitedMs)}`
  return html`<details class="exchange"${open ? ' open' : ''}>
<summary><b>${n}</b> ${request.method} ${visible(request.url)} → ${visible(answer)}</summary>
<p class="quiet">${operation}, sent by ${owner}, answered in ${lengthOf(receivedMs - sentMs)}${visible(asked)}${waited}</p>
<pre>${`${request.method} ${visible(request.url)}\n`}${message(request)}</pre>
<pre>${`${response === null ? visible(failure ?? 'no response') : response.status}\n`}${response === null ? null : message(response)}</pre>
</details>
`
}

function message({ headers, body, bodyKind, bodyBytes }: ShownMessage): Markup {
  const lines = headers.map(([name, value]) => `${visible(name)}: ${visible(value)}`).join('\n')
  const kind = kinds[bodyKind]
  const note = kind === '' ? '' : bodyKind === 'none' ? `(${kind})` : `(${kind}; ${bodyBytes} bytes in all)`
  const shown = body === null ? '' : body.split('\n').map(visible).join('\n')
  return html`${lines}\n\n${shown}${note === '' ? null : html`<i>${shown === '' ? '' : '\n'}${note}</i>`}`
}

function finding({ clause, expected, observed, exchange }: Finding): Markup {
  return html`<dl class="finding">
<dt>Clause</dt><dd><code>${clause}</code>${exchange === null ? null : html` <span class="quiet">exchange ${exchange}</span>`}</dd>
<dt>Expected</dt><dd>${visible(expected)}</dd>
<dt>Observed</dt><dd class="observed">${visible(observed)}</dd>
</dl>`
}

function left(exchanges: number): Markup | null {
  return exchanges === 0 ? null : html`<p class="quiet">${isInRecord(exchanges, 'more exchange')}</p>`
}

function isInRecord(many: number, noun: string): string {
  return `${pluralize(many, noun)} ${many === 1 ? 'is' : 'are'} in the record.`
}

function known(entries: readonly KnownResult[]): Markup | null {
  if (entries.length === 0) return null
  const rows = entries.map(({ rule, clause, state, expires, reason }) => {
    return [html`<code>${rule}</code>${clause === null ? null : html` (${clause})`}`, state, expires, reason]
  })
  return html`<section id="known"><h2>Known failures <small>${entries.length}</small></h2>
${grid(['rule', 'state', 'until', 'reason'], rows)}</section>`
}

function table(
  id: string,
  title: string,
  rules: readonly RuleResult[],
  heading: string,
  to: (rule: RuleResult) => Markup,
): Markup | null {
  if (rules.length === 0) return null
  return html`<section id="${id}"><h2>${title} <small>${byVerdict(rules)}</small></h2>
<ul class="rules" aria-label="${heading}">
${rules.map((rule) => html`<li><code>${rule.id}</code><span>${rule.says}</span><span class="quiet">${heading}: ${to(rule)}</span></li>\n`)}</ul>
</section>`
}

/** The number of rules here, and of each verdict if they differ: the numbers of the tally. */
function byVerdict(rules: readonly RuleResult[]): string {
  const tally = tallyOf(rules)
  return tally.includes(', ') ? `${rules.length}: ${tally}` : String(rules.length)
}

function readings({ readings }: RuleResult): Markup {
  return html`${Object.entries(readings).map(([name, value], at) => html`${at === 0 ? '' : '; '}${visible(name)}: <b>${visible(value)}</b>`)}`
}

function unjudged(rule: RuleResult): Markup {
  const reasons = unclaimedParts(rule).map(({ reason }) => visible(reason))
  return html`${reasons.join('; ')}`
}

function provenance({ run, format }: Results): Markup {
  const facts: [string, string][] = [
    ['run', run.id],
    ['target', run.target],
    ['started', new Date(run.startedMs).toISOString()],
    ['ended', new Date(run.endedMs).toISOString()],
    ['plumbline', run.plumbline],
    ...(run.seed === null ? [] : [['seed', String(run.seed)] satisfies [string, string]]),
    ['profiles', `${run.profiles.join(', ')}${run.strict ? ', strict' : ''}`],
    ['rules selected', String(run.selected)],
    ['format of the results', String(format)],
    ...Object.entries(run.digests),
  ]
  return html`<section id="provenance"><h2>Where this comes from</h2>
<p>These results are derived only from the record of the run; <code>plumbline replay</code> derives them again.</p>
<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>\n`)}</dl></section>`
}
