import { html } from 'hono/html'
import { areaOf } from '../harness/common/areas.ts'
import { pluralize } from '../harness/common/pluralize.ts'
import type { KnownResult, Results, RuleResult } from '../results/types.ts'
import { type Verdict, verdictOrder } from '../verdicts/verdicts.ts'
import { headingOf, type ReportedResults, verdictLines } from './baseline.ts'
import { type Cause, gapCauses } from './causes.ts'
import { partCauses } from './gaps.ts'
import { failures, type Markup } from './html-failure.ts'
import { load, plottedPlans } from './html-load.ts'
import { grid, renderPage } from './html-page.ts'
import { pageScript } from './html-script.ts'
import { filterStyle, pageStyle } from './html-style.ts'
import { waits } from './html-waits.ts'
import { gradeOf, sortRules, tallyOf, took, visible } from './sort.ts'

/**
 * One file that loads nothing: the verdict, coverage, failures by likely cause, what was not verified by reason, all rules.
 * Everything from the target is escaped, and a policy of the page permits only its own style and script.
 */
export function renderHtml(results: ReportedResults): string {
  const { run, verdict, rules } = results
  const groups = sortRules(results)
  const heading = visible(headingOf(results))
  const title = `${heading}: ${visible(run.target)}`
  const style = `${pageStyle}${filterStyle(areasOf(rules))}`
  const parts = partCauses(rules)
  const sections = [
    failures(results, 'failures', 'Failures', groups.failures),
    known(results.known),
    failures(results, 'lesser', 'Advice and accepted failures', groups.lesser),
    gaps('not-verified', 'Not verified', byVerdict(groups.notVerified), gapCauses(groups.notVerified)),
    gaps('in-part', 'Judged in part', new Set(parts.flatMap(({ rules }) => rules)).size, parts),
    readings(groups.readings),
    load(results),
    waits(results),
    index(results, groups),
    provenance(results),
  ]
  const body = html`<header class="${gradeOf(verdict)}">
<p class="quiet">${run.traffic ? 'Traffic' : 'Conformance'} of ${visible(run.target)}</p>
<h1>${heading}</h1>
${verdictLines(results).map((line) => html`<p>${visible(line.startsWith(`${heading}: `) ? line.slice(heading.length + 2) : line)}</p>\n`)}${tally(results)}
</header>
<nav aria-label="Sections"><ul>${anchors(results, groups).map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
<main>
${coverage(results)}
${sections}
</main>`
  return renderPage({ title, style, script: pageScript, body })
}

function areasOf(rules: readonly RuleResult[]): string[] {
  return [...new Set(rules.map(({ id }) => areaOf(id)))]
}

function tally({ counts, run, verdict }: Results): Markup {
  const parts = verdictOrder.filter((word) => counts[word] !== undefined)
  return html`<ul class="tally">${parts.map((word) => html`<li class="v-${word}"><b>${counts[word]}</b> ${word}</li>`)}</ul>
<p class="quiet">${pluralize(run.exchanges, 'exchange')} in ${took(run)} · exit ${verdict.exit}</p>`
}

type Groups = ReturnType<typeof sortRules>

/** Sections that the reader may look for, if they exist. */
function anchors(results: Results, groups: Groups): (readonly [id: string, name: string])[] {
  const { failures, lesser, notVerified, readings } = groups
  const long: (readonly [string, string, readonly unknown[]])[] = [
    ['failures', 'Failures', failures],
    ['lesser', 'Advice', lesser],
    ['not-verified', 'Not verified', notVerified],
    ['readings', 'Readings', readings],
    ['load', 'Load', plottedPlans(results)],
    ['rules', 'All rules', results.rules],
  ]
  return long.flatMap(([id, name, { length }]) => (length === 0 ? [] : [[id, `${name} ${length}`] as const]))
}

const shares: readonly (readonly [name: string, verdicts: readonly Verdict[]])[] = [
  ['passed', ['passed', 'observed']],
  ['failed', ['failed', 'broken']],
  ['advice', ['advice']],
  ['not verified', ['inconclusive', 'blocked', 'unverified', 'unclaimed', 'not-applicable']],
]

function coverage({ rules }: Results): Markup {
  const rows = [...Map.groupBy(rules, ({ id }) => areaOf(id))].map(([area, own]) => {
    const counts = shares.map(([, verdicts]) => own.filter(({ verdict }) => verdicts.includes(verdict)).length)
    return [area, ...counts, bar(counts)]
  })
  return html`<section id="coverage" aria-labelledby="coverage-title"><h2 id="coverage-title">Coverage</h2>
${grid('Rules by area', ['area', ...shares.map(([name]) => name), 'share'], rows)}</section>`
}

/** A bar of shares; the numbers beside it say the same. */
function bar(counts: readonly number[]): Markup {
  const all = counts.reduce((sum, count) => sum + count, 0)
  const at = (index: number) => (100 * counts.slice(0, index).reduce((sum, count) => sum + count, 0)) / all
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${counts.map((_, index) => html`<rect class="share-${index}" x="${at(index)}" width="${at(index + 1) - at(index)}" height="8"/>`)}</svg>`
}

function known(entries: readonly KnownResult[]): Markup | null {
  if (entries.length === 0) return null
  const rows = entries.map(({ rule, clause, state, expires, reason }) => {
    return [html`<code>${rule}</code>${clause === null ? null : html` (${clause})`}`, state, expires, reason]
  })
  return html`<section id="known" aria-labelledby="known-title"><h2 id="known-title">Known failures <small>${entries.length}</small></h2>
${grid('Known failures', ['rule', 'state', 'until', 'reason'], rows)}</section>`
}

/** One line for each cause, with its rules folded. */
function gaps(id: string, title: string, count: string | number, causes: readonly Cause[]): Markup | null {
  if (causes.length === 0) return null
  const line = ({ title, rules }: Cause) =>
    html`<details class="fold"><summary><b>${pluralize(rules.length, 'rule')}</b> ${title}</summary>
<ul class="plain">${rules.map(({ id }) => html`<li><a href="#${id}"><code>${id}</code></a></li>\n`)}</ul></details>`
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title} <small>${count}</small></h2>
${causes.map(line)}</section>`
}

/** Rules that recorded a reading, folded. */
function readings(rules: readonly RuleResult[]): Markup | null {
  if (rules.length === 0) return null
  const read = ({ readings }: RuleResult) =>
    Object.entries(readings).map(
      ([name, value], at) => html`${at === 0 ? '' : '; '}${visible(name)}: <b>${visible(value)}</b>`,
    )
  return html`<section id="readings" aria-labelledby="readings-title"><h2 id="readings-title">Open in the description <small>${rules.length}</small></h2>
<details class="fold"><summary>${pluralize(rules.length, 'rule')}</summary>
<ul class="plain">${rules.map((rule) => html`<li><a href="#${rule.id}"><code>${rule.id}</code></a> <span class="quiet">${read(rule)}</span></li>\n`)}</ul></details></section>`
}

/** Every rule with its verdict. Radio buttons filter it by style alone; the search needs the script. */
function index({ rules, counts }: Results, { failures, lesser }: Groups): Markup {
  const hasCard = new Set([...failures, ...lesser].map(({ id }) => id))
  const verdicts = verdictOrder.filter((verdict) => counts[verdict] !== undefined)
  const row = ({ id, says, verdict }: RuleResult) =>
    html`<li${hasCard.has(id) ? null : html` id="${id}"`} class="v-${verdict} a-${areaOf(id)}"><span class="verdict">${verdict}</span> ${hasCard.has(id) ? html`<a href="#${id}"><code>${id}</code></a>` : html`<code>${id}</code>`}<span class="quiet">${says}</span></li>\n`
  return html`<section id="rules" aria-labelledby="rules-title"><h2 id="rules-title">All rules <small>${rules.length}</small></h2>
<div class="filters">
${choice('verdict', 'Verdict', verdicts)}
${choice('area', 'Area', areasOf(rules))}
<p hidden><label for="search">Search ids and sentences</label> <input type="search" id="search" autocomplete="off"></p>
</div>
<p id="count" class="quiet" role="status"></p>
<ul class="plain">${rules.map(row)}</ul></section>`
}

function choice(name: string, title: string, values: readonly string[]): Markup {
  const one = (value: string) =>
    html`<label><input type="radio" name="${name}" id="${name}-${value}"${value === 'all' ? html` checked` : null}>${value}</label>\n`
  return html`<fieldset><legend>${title}</legend>${['all', ...values].map(one)}</fieldset>`
}

/** The number of rules here, and of each verdict if they differ: the numbers of the tally. */
function byVerdict(rules: readonly RuleResult[]): string {
  const tally = tallyOf(rules)
  return tally.includes(', ') ? `${rules.length}: ${tally}` : String(rules.length)
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
