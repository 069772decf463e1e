import library, { type Builder, type TestCase } from 'junit-report-builder'
import type { Results, RuleResult } from '../results/types.ts'
import { logMark, reasonOf, visible } from './sort.ts'

/** The library is CommonJS and exports the builder itself; its types declare a default export. */
const builder = library as unknown as Builder

/**
 * JUnit XML: one suite per area, one case per rule. `failed` is a failure, `broken` an error, advice passes with a note in
 * system-out; rules that were not verified, and failures that `known:` accepts, are skipped with the reason.
 */
export function renderJunit(results: Results): string {
  const report = builder.newBuilder().name(text(`plumbline: ${results.run.target}`))
  for (const area of [...new Set(results.rules.map((rule) => rule.area))]) {
    const suite = report.testSuite().name(area).timestamp(new Date(results.run.startedMs).toISOString().slice(0, 19))
    suite.property('run', results.run.id)
    if (results.run.seed !== null) suite.property('seed', String(results.run.seed))
    suite.property('verdict', text(results.verdict.line))
    for (const rule of results.rules) if (rule.area === area) addCase(suite.testCase(), rule, results.run.id)
  }
  return `${report.build()}\n`
}

function addCase(testCase: TestCase, rule: RuleResult, run: string): void {
  const { id, area, verdict, says, known } = rule
  testCase.name(id).className(`plumbline.${area}`).time(seconds(rule))
  testCase.property('level', rule.level).property('basis', rule.basis).property('source', text(rule.source))
  testCase.property('verdict', verdict).property('exchanges', String(rule.exchanges)).property('says', text(says))
  for (const [name, value] of Object.entries(rule.readings)) testCase.property(`reading.${name}`, text(value))
  for (const { need, reason } of rule.unjudged) testCase.property(`unjudged.${need}`, text(reason))
  if (verdict === 'failed' && known === null) {
    testCase.failure(headline(rule), 'failed').stacktrace(details(rule, run))
  } else if (verdict === 'failed') {
    skip(testCase, text(`known failure, accepted until ${known?.expires}: ${known?.reason}`))
    testCase.standardOutput(details(rule, run))
  } else if (verdict === 'broken') {
    testCase.error(text(reasonOf(rule)), 'broken', details(rule, run))
  } else if (verdict === 'advice') {
    testCase.standardOutput(`advice, never fatal\n${details(rule, run)}`)
  } else if (verdict !== 'passed' && verdict !== 'observed') {
    skip(testCase, text(verdict === 'blocked' ? reasonOf(rule) : `${verdict}: ${reasonOf(rule)}`))
  }
}

/** The library writes `skipped` without a reason; CI servers show one if there is one. */
function skip(testCase: TestCase, reason: string): void {
  const build = testCase.build.bind(testCase)
  testCase.getSkippedCount = () => 1
  testCase.build = (parent) => {
    const element = build(parent)
    element.ele('skipped', { message: reason })
    return element
  }
}

function headline({ findings }: RuleResult): string {
  const [first] = findings
  if (first === undefined) return 'no finding was recorded'
  return text(`${first.clause}: expected ${first.expected}; observed ${first.observed}`)
}

function details({ id, says, source, findings, curl, rerun }: RuleResult, run: string): string {
  const lines = [
    says,
    `heading "${source}" of the API description`,
    ...findings.flatMap(({ clause, expected, observed, exchange }) => [
      `clause ${clause}${exchange === null ? '' : `, exchange ${exchange}`}`,
      `  expected: ${expected}`,
      `  observed: ${observed}`,
    ]),
    ...(curl.length === 0 ? [] : ['', ...curl, '']),
    `rerun this rule: ${rerun}`,
    `in the target's log: ${logMark(run, id)}`,
  ]
  return text(lines.join('\n'))
}

function seconds({ startedMs, endedMs }: RuleResult): number {
  return startedMs === null || endedMs === null ? 0 : (endedMs - startedMs) / 1_000
}

/** Text that XML can hold, in lines: each control character as an escape, and no end of a CDATA section. */
function text(value: string): string {
  return value.split('\n').map(visible).join('\n').replaceAll(']]>', ']] >')
}
