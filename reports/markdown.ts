import { cut } from '../harness/common/cut.ts'
import { pluralize } from '../harness/common/pluralize.ts'
import { contrastText } from '../harness/rule/outcome.ts'
import type { ProfileCoverage, Results, RuleResult } from '../results/types.ts'
import { applicableOf } from '../results/verdict.ts'
import { headingOf, type ReportedResults, verdictLines } from './baseline.ts'
import { gapsOf, subjectOf } from './gaps.ts'
import {
  acceptedText,
  brokenBy,
  codeSpan,
  gradeOf,
  knownSentence,
  logMark,
  longestRun,
  reasonOf,
  sortRules,
  tallyOf,
  took,
  visible,
} from './sort.ts'

/** Failures that are shown with their findings; GitHub takes a megabyte. */
const shownFailures = 20
/** Failures that are shown with shell lines, and how many of them. */
const shellLinesFor = 10
const shownLines = 50
/** Findings of one rule that are shown. */
const shownFindings = 5
/** Rules of a list. */
const listed = 50
/** Characters of a value, and of a shell line. */
const longestValue = 500
const longestLine = 1_000

const signs = { good: '✅', part: '⚠️', bad: '❌' }

/**
 * Markdown in the dialect of GitHub, as a job summary or a comment: the verdict, coverage, failures with the lines that
 * reproduce them, and what was not verified. All that comes from a target is code, so that it can neither link nor mark up.
 */
export function renderMarkdown(results: ReportedResults): string {
  const { run, verdict, rules, coverage, known } = results
  const { failures, lesser } = sortRules(results)
  // The name of a baseline is what somebody typed.
  const heading = results.baseline === undefined ? headingOf(results) : code(headingOf(results))
  const blocks = [
    `## ${signs[gradeOf(verdict)]} Plumbline: ${heading}`,
    ...verdictLines(results).map(code),
    `${tallyOf(rules) || 'no rule was judged'} — target ${code(run.target)}, run ${code(run.id)} of plumbline ${code(run.plumbline)}, ` +
      `${pluralize(run.exchanges, 'exchange')} in ${took(run)}${run.seed === null ? '' : `, seed ${code(String(run.seed))}`}`,
    table(
      ['profile', 'must rules', 'verified', 'in part', 'unclaimed', 'not applicable', 'not verified'],
      coverage,
      row,
    ),
    ...section(
      'Failures',
      failures.slice(0, shownFailures).map((rule, at) => failureBlock(rule, run, at < shellLinesFor)),
    ),
    ...section('More failures', list(failures.slice(shownFailures).map((rule) => [rule.id, rule.says]))),
    ...section(
      'Known failures',
      list(
        known.flatMap((entry) => {
          const text = knownSentence(entry)
          return text === null ? [] : [[entry.rule, text] as const]
        }),
      ),
    ),
    ...section('Advice and accepted failures', list(lesser.map((rule) => [rule.id, lesserText(rule)]))),
    ...section('Not verified', list(gapsOf(results).map((gap) => [subjectOf(gap), gap.title]))),
  ]
  return `${blocks.join('\n\n')}\n`
}

function section(title: string, blocks: readonly string[]): string[] {
  return blocks.length === 0 ? [] : [`### ${title}`, ...blocks]
}

function row(coverage: ProfileCoverage): string[] {
  const { profile, verified, inPart, unclaimed, notApplicable, notVerified } = coverage
  return [
    code(profile),
    ...[applicableOf(coverage), verified, inPart, unclaimed, notApplicable, notVerified].map(String),
  ]
}

function table<One>(heads: readonly string[], all: readonly One[], cells: (one: One) => readonly string[]): string {
  const lines = [heads, heads.map(() => '---'), ...all.map(cells)]
  return lines.map((cellsOfLine) => `| ${cellsOfLine.join(' | ')} |`).join('\n')
}

function failureBlock(rule: RuleResult, run: Results['run'], hasShell: boolean): string {
  const { id, verdict, says, source, findings, omitted, curl, rerun } = rule
  const more = findings.length - shownFindings + omitted.findings
  return [
    `**${code(id)}** — ${verdict}`,
    `${code(says)} (heading ${code(source)} of the API description)`,
    ...(verdict === 'broken' ? [`${brokenBy}: ${code(reasonOf(rule))}`] : []),
    ...(findings.length === 0
      ? []
      : [
          table(
            ['clause', 'expected', 'observed'],
            findings.slice(0, shownFindings),
            ({ clause, expected, observed }) => [clause, expected, observed].map((value) => cell(value)),
          ),
        ]),
    ...(more > 0 ? [`and ${pluralize(more, 'more finding')}, in results.json and the record`] : []),
    ...(rerun === ''
      ? []
      : [`rerun: ${code(rerun)}${run.traffic ? '' : `, in the log of the target: ${code(logMark(run.id, id))}`}`]),
    ...(curl.length === 0 || !hasShell
      ? []
      : [
          `<details><summary>reproduce by hand, in bash</summary>\n\n${fenced(curl.slice(0, shownLines))}\n\n</details>`,
        ]),
  ].join('\n\n')
}

function lesserText(rule: RuleResult): string {
  const [first] = rule.findings
  const word = acceptedText(rule) ?? 'advice'
  return first === undefined ? word : `${word}: ${contrastText(first)}`
}

function list(all: readonly (readonly [id: string, text: string])[]): string[] {
  if (all.length === 0) return []
  const lines = all.slice(0, listed).map(([id, text]) => `- ${code(id)} ${code(text)}`)
  const rest = all.length - listed
  return [[...lines, ...(rest > 0 ? [`- and ${rest} more, in results.json`] : [])].join('\n')]
}

/** A value in one line, as a code span. */
function code(value: string): string {
  return codeSpan(cut(visible(value.replaceAll('\n', ' ')), longestValue))
}

/** The same in a table, where a bar ends the cell even in code. */
function cell(value: string): string {
  return code(value).replaceAll('|', '\\|')
}

function fenced(lines: readonly string[]): string {
  const text = lines.map((line) => cut(visible(line), longestLine)).join('\n')
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}bash\n${text}\n${fence}`
}
