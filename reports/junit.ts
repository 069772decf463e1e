import { loadLate } from '../harness/common/late.ts'
import type { Results, RuleResult } from '../results/types.ts'
import type { ReportedResults } from './baseline.ts'
import { comparisonLine } from './comparison.ts'
import { detailsOf, messageOf, outcomeOf, seconds, visible } from './sort.ts'

/** An element as the builder takes it: attributes begin with `@`, `#` is its text, other members are elements in it. */
interface Element {
  readonly [name: string]: string | number | Element | readonly Element[]
}

/**
 * JUnit XML: one suite per area, one case per rule. `failed` is a failure, `broken` an error, advice passes with a note in
 * system-out; rules that were not verified, and accepted failures, are skipped with the reason. Only what the
 * schema of Jenkins has, which every reader knows: no properties of a case, and the reason as the text of `skipped`.
 */
export function renderJunit(results: ReportedResults): string {
  const { run, rules } = results
  const testsuites = {
    '@name': line(`plumbline: ${run.target}`),
    ...countsOf(rules),
    '@time': seconds(run.endedMs - run.startedMs),
    testsuite: [...Map.groupBy(rules, ({ area }) => area)].map(([area, ofArea]) => suiteOf(area, ofArea, results)),
  }
  const { create } = loadLate('xmlbuilder2') as typeof import('xmlbuilder2')
  return `${create({ encoding: 'UTF-8' }, { testsuites }).end({ prettyPrint: true })}\n`
}

function suiteOf(area: string, rules: readonly RuleResult[], { run, verdict, baseline }: ReportedResults): Element {
  const properties = {
    run: run.id,
    ...(run.seed !== null && { seed: String(run.seed) }),
    verdict: line(verdict.line),
    ...(baseline !== undefined && { baseline: line(comparisonLine(baseline)) }),
  }
  return {
    '@name': area,
    ...countsOf(rules),
    '@skipped': rules.filter((rule) => outcomeOf(rule) === 'skipped').length,
    '@time': seconds(rules.reduce((sum, { realMs }) => sum + (realMs ?? 0), 0)),
    '@timestamp': new Date(run.startedMs).toISOString().slice(0, 19),
    properties: { property: Object.entries(properties).map(([name, value]) => ({ '@name': name, '@value': value })) },
    testcase: rules.map((rule) => caseOf(rule, run)),
  }
}

function countsOf(rules: readonly RuleResult[]): Element {
  const count = (state: string) => rules.filter((rule) => outcomeOf(rule) === state).length
  return { '@tests': rules.length, '@failures': count('failed'), '@errors': count('broken') }
}

function caseOf(rule: RuleResult, run: Results['run']): Element {
  const { id, area, realMs } = rule
  const state = outcomeOf(rule)
  const message = messageOf(rule) ?? ''
  const details = text(detailsOf(rule, run))
  const failure = { '@message': line(message), '@type': rule.verdict, '#': details }
  return {
    '@name': id,
    '@classname': `plumbline.${area}`,
    '@time': seconds(realMs ?? 0),
    ...(state === 'skipped' && { skipped: text(message) }),
    ...(state === 'broken' && { error: failure }),
    ...(state === 'failed' && { failure }),
    ...(rule.verdict === 'advice' && { 'system-out': `advice, never fatal\n\n${details}` }),
  }
}

/** Text that XML can hold, in lines: each control character as an escape. */
function text(value: string): string {
  return value.split('\n').map(visible).join('\n')
}

/** The same in one line, as attributes have no other. */
function line(value: string): string {
  return visible(value.replaceAll('\n', ' '))
}
