import type { CTRFReport, Test, TestStatus } from 'ctrf'
import { jsonText } from '../harness/common/escape.ts'
import type { Results, RuleResult } from '../results/types.ts'
import type { ReportedResults } from './baseline.ts'
import { comparisonLine } from './comparison.ts'
import { detailsOf, messageOf, outcomeOf } from './sort.ts'

/** CTRF: each rule is a test in the suite of its area, with its verdict as the raw status. */
export function renderCtrf(results: ReportedResults): string {
  const { run, rules, verdict, baseline } = results
  const tests = rules.map((rule) => testOf(rule, results))
  const count = (status: TestStatus) => tests.filter((test) => test.status === status).length
  const report: CTRFReport = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    runId: run.id,
    generatedBy: `plumbline ${run.plumbline}`,
    results: {
      tool: { name: 'plumbline', version: run.plumbline },
      summary: {
        tests: tests.length,
        passed: count('passed'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: count('pending'),
        other: count('other'),
        suites: new Set(rules.map(({ area }) => area)).size,
        start: run.startedMs,
        stop: run.endedMs,
        duration: run.endedMs - run.startedMs,
        extra: {
          verdict: verdict.word,
          exit: verdict.exit,
          line: verdict.line,
          ...(baseline !== undefined && { baseline: comparisonLine(baseline) }),
        },
      },
      tests,
      environment: { appName: run.target, extra: { clock: run.clock, seed: run.seed, profiles: run.profiles } },
    },
  }
  return jsonText(report)
}

function testOf(rule: RuleResult, { run }: Results): Test {
  const { id, area, verdict, level, basis, source, says, realMs, findings, readings } = rule
  const message = messageOf(rule)
  return {
    testId: id,
    name: id,
    status: statusOf(rule),
    rawStatus: verdict,
    duration: realMs ?? 0,
    suite: [area],
    tags: [level, basis],
    ...(message !== null && { message }),
    ...(findings.length > 0 && { trace: detailsOf(rule, run) }),
    extra: { says, source, readings },
  }
}

/** A fault of the harness is `other`. */
function statusOf(rule: RuleResult): TestStatus {
  const outcome = outcomeOf(rule)
  return outcome === 'broken' ? 'other' : outcome
}
