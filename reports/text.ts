import { areaOf } from '../harness/common/areas.ts'
import { cut } from '../harness/common/cut.ts'
import { pluralize } from '../harness/common/pluralize.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import { exchangeLine } from '../results/shown.ts'
import type { KnownResult, Results, RuleResult, ShownExchange } from '../results/types.ts'
import type { ReportedResults } from './baseline.ts'
import { renderWorse } from './comparison.ts'
import { gapsOf, inPart, subjectOf } from './gaps.ts'
import { type Paint, plain } from './paint.ts'
import {
  acceptedText,
  brokenBy,
  gradeOf,
  knownSentence,
  logMark,
  reasonOf,
  sortRules,
  tallyOf,
  took,
  visible,
} from './sort.ts'

export type { Paint }

/** With more failures than this, only the other reports have shell lines. */
const shellLinesFor = 10
/** Findings of one rule that are printed. */
const printedFindings = 5
/** If more should rules are violated, each has only a few lines. */
const maxWholeAdvice = 3
/** Longer shell lines are only in the other reports, in characters. */
const longestShellLines = 4_000
/** Of a longer text the beginning is printed, in characters. */
const longestText = 500

/** The whole text: failures, then rules that were not verified, then the summary. Ends with a newline. */
export function renderText(results: ReportedResults, paint: Paint = plain): string {
  const { failures, lesser } = sortRules(results)
  const shown = failures.map((rule, at) => renderFailure(results, rule, paint, at < shellLinesFor))
  const advice = lesser.filter((rule) => acceptedText(rule) === null)
  const whole = advice.length > maxWholeAdvice ? [] : advice
  const briefs = lesser.filter((rule) => !whole.includes(rule))
  const known = results.known.filter(
    ({ rule, state }) =>
      state !== 'accepted' &&
      (state !== 'not judged' || failures.some(({ id, verdict }) => id === rule && verdict === 'failed')),
  )
  const parts = [
    ...shown,
    ...whole.map((rule) => renderFailure(results, rule, paint, failures.length < shellLinesFor)),
    ...(briefs.length === 0 ? [] : [`${briefs.map((rule) => brief(rule, paint)).join('\n')}\n`]),
    ...(known.length === 0 ? [] : [`${known.map((entry) => knownLine(entry, paint)).join('\n')}\n`]),
    renderSummary(results, paint),
  ]
  return parts.join('\n')
}

/**
 * One failure for a reader who does not know this suite: the rule and its heading, expected
 * and observed, shell lines that reproduce it, the command that reruns just it, and the mark in the target's log.
 */
export function renderFailure(results: Results, rule: RuleResult, paint: Paint = plain, shell = true): string {
  const { id, verdict, level, says, source, findings, omitted, curl, rerun } = rule
  const word = verdict === 'broken' ? 'BROKEN' : verdict === 'advice' ? 'ADVICE' : 'FAILED'
  const hasShellLines = shell && curl.join('\n').length <= longestShellLines
  const inDoubt = Object.entries(rule.fromTarget ?? {})
  const keys = inDoubt.filter(([key]) => key.startsWith('keys.'))
  const given = inDoubt.filter((entry) => !keys.includes(entry))
  const hidden = findings.length - printedFindings + omitted.findings
  return block([
    `${paint.bold((verdict === 'advice' ? paint.yellow : paint.red)(word))}  ${paint.bold(id)}  ${paint.dim(`(${level})`)}`,
    `  ${says}`,
    `  ${paint.dim(`heading "${source}" of the API description`)}`,
    ...(verdict === 'broken' ? [`  ${paint.bold(brokenBy)}: ${visible(reasonOf(rule))}`] : []),
    ...findings.slice(0, printedFindings).flatMap((finding) => findingLines(rule, finding, paint)),
    ...(hidden > 0
      ? [`  ${paint.dim(`and ${pluralize(hidden, 'more finding')}, in results.json and the record`)}`]
      : []),
    ...keys.map(([key, says]) => `  is ${key} of the target file ${says}?`),
    ...(given.length > 0
      ? [
          `  sent as in the target file (is it right there?): ${given.map(([key, value]) => `${key} ${visible(value)}`).join(', ')}`,
        ]
      : []),
    ...(hasShellLines && curl.length > 0
      ? ['', '  reproduce by hand, in bash:', ...curl.map((line) => `    ${paint.cyan(visible(line))}`)]
      : []),
    ...(!hasShellLines && curl.length > 0
      ? [`  ${paint.dim('shell lines: too long for here; they are in the report.html of --out FOLDER')}`]
      : []),
    ...(rerun === '' ? [] : ['', `  rerun this rule:  ${rerun}`]),
    ...(results.run.traffic ? [] : [`  in your log:      ${logMark(results.run.id, id)}`]),
  ])
}

/** The last lines of a run: rules that were not verified and why, failed rules by area, the counts, the verdict. Ends with a newline. */
export function renderSummary(results: ReportedResults, paint: Paint = plain): string {
  const { run, verdict, baseline } = results
  const { failures } = sortRules(results)
  const gaps = gapsOf(results)
  const missing = gaps.map((gap) => `  ${subjectOf(gap)}  ${gap.title}`)
  const heading = gaps.every(({ title }) => title.startsWith(inPart)) ? 'verified in part' : 'not verified'
  const colour = { good: paint.green, part: paint.yellow, bad: paint.red }[gradeOf(verdict)]
  return block([
    ...(missing.length === 0 ? [] : [paint.bold(heading), ...missing, '']),
    ...(failures.length === 0 ? [] : [paint.bold('failed'), ...failedByArea(failures), '']),
    tallyOf(results.rules) || 'no rule was judged',
    paint.dim(
      `run ${run.id} of plumbline ${run.plumbline} on ${visible(run.target)}: ${pluralize(run.exchanges, 'exchange')} in ` +
        `${took(run)}${run.seed === null ? '' : `, seed ${run.seed}`}`,
    ),
    `${colour(paint.bold(verdict.word))}${visible(verdict.line.slice(verdict.word.length))} ${paint.dim(`(exit ${verdict.exit})`)}`,
    ...(baseline === undefined ? [] : [renderWorse(baseline, paint).trimEnd()]),
  ])
}

/** The ids of failed rules, an area a line. */
function failedByArea(failures: readonly RuleResult[]): string[] {
  const areas = Map.groupBy(failures, ({ id }) => areaOf(id))
  return [...areas].map(([area, rules]) => `  ${area}  ${rules.map(({ id }) => id).join(' ')}`)
}

function findingLines(
  { scenario }: RuleResult,
  { clause, expected, observed, exchange }: Finding,
  paint: Paint,
): string[] {
  const at = scenario.find(({ n }) => n === exchange)
  return [
    `  clause ${paint.bold(clause)}`,
    `    expected  ${paint.green(shortened(expected))}`,
    `    observed  ${paint.red(shortened(observed))}`,
    ...(exchange === null ? [] : [`    ${paint.dim(exchangeText(exchange, at))}`]),
    ...answeredLine(at),
  ]
}

function exchangeText(n: number, exchange: ShownExchange | undefined): string {
  return `exchange ${n}${exchange === undefined ? '' : `: ${visible(exchangeLine(exchange))}`}`
}

/** The body of a response, which may say why. */
function answeredLine(exchange: ShownExchange | undefined): string[] {
  const { body = null, bodyKind = 'none' } = exchange?.response ?? {}
  return body === null || bodyKind.startsWith('base64') ? [] : [`    answered  ${shortened(body)}`]
}

function brief(rule: RuleResult, paint: Paint): string {
  const { id, findings, scenario } = rule
  const [first] = findings
  const n = first?.exchange ?? null
  const accepted = acceptedText(rule)
  const word = visible(accepted ?? 'advice')
  const seen =
    first === undefined ? '' : `: expected ${shortened(first.expected)}; observed ${shortened(first.observed)}`
  const at = scenario.find((one) => one.n === n)
  const where = accepted !== null || n === null ? '' : `\n  ${paint.dim(exchangeText(n, at))}`
  const says = accepted === null ? `\n  ${rule.says}` : ''
  const again = accepted === null && rule.rerun !== '' ? `\n  rerun this rule:  ${rule.rerun}` : ''
  return `${paint.yellow(word)}  ${paint.bold(id)}${seen}${says}${where}${again}`
}

function knownLine(entry: KnownResult, paint: Paint): string {
  const { rule, clause } = entry
  const what = clause === null ? rule : `${rule}, clause ${clause}`
  const then = knownSentence(entry) ?? 'accepts nothing here: the rule failed before that clause'
  return `${paint.red('known')}  ${paint.bold(visible(what))} ${then}`
}

function block(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}

/** A text in one line; the beginning of a long one. */
function shortened(text: string): string {
  return visible(cut(text, longestText))
}
