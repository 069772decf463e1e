import { createHash } from 'node:crypto'
import type { Invocation, Location, Log, Notification, ReportingDescriptor, Result } from 'sarif'
import { jsonText } from '../harness/common/escape.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import type { Results, RuleResult } from '../results/types.ts'
import { exitCodes } from '../verdicts/exit-codes.ts'
import type { ReportedResults } from './baseline.ts'
import { comparisonLine } from './comparison.ts'
import { acceptedText, detailsOf, headlineOf, reasonOf, unverifiedOf } from './sort.ts'

const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'

/**
 * SARIF 2.1.0: each judged row of the ledger is a rule, each finding a result. A finding is about a server, so its only
 * place in a file is the target file; without one it has only the name of its rule. Rules without a verdict, and those that
 * are broken, are notifications: nothing untested looks clean.
 */
export function renderSarif(results: ReportedResults): string {
  const { run, rules, verdict, baseline } = results
  const log: Log = {
    $schema: schema,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'plumbline', version: run.plumbline, rules: rules.map(descriptorOf) },
        },
        invocations: [invocationOf(results)],
        results: rules.flatMap((rule, ruleIndex) => resultsOf(rule, ruleIndex, results)),
        properties: {
          run: run.id,
          target: run.target,
          seed: run.seed,
          verdict: verdict.line,
          ...(baseline !== undefined && { baseline: comparisonLine(baseline) }),
        },
      },
    ],
  }
  return jsonText(log)
}

function descriptorOf({ id, says, source, level, basis, area, profile }: RuleResult): ReportingDescriptor {
  return {
    id,
    name: id,
    shortDescription: { text: says },
    fullDescription: { text: `${says} (heading "${source}" of the API description)` },
    help: { text: `Heading "${source}" of the API description: ${says}` },
    defaultConfiguration: { level: levelOf(level) },
    properties: { level, basis, area, profile, tags: [area, basis] },
  }
}

function levelOf(level: RuleResult['level']): 'error' | 'warning' {
  return level === 'must' ? 'error' : 'warning'
}

/** A result for each finding of a rule that failed, or one that says so if none was recorded. */
function resultsOf(rule: RuleResult, ruleIndex: number, { run, baseline }: ReportedResults): Result[] {
  if (rule.verdict !== 'failed' && rule.verdict !== 'advice') return []
  const locations = [locationOf(rule, run.targetFile)]
  const accepted = acceptedText(rule)
  const base = {
    ruleId: rule.id,
    ruleIndex,
    level: levelOf(rule.level),
    locations,
    ...(accepted !== null && {
      suppressions: [{ kind: 'external' as const, status: 'accepted' as const, justification: accepted }],
    }),
    ...(baseline !== undefined &&
      rule.verdict === 'failed' && {
        baselineState: rule.baseline === undefined ? ('new' as const) : ('unchanged' as const),
      }),
  }
  const all: (Finding | undefined)[] = rule.findings.length === 0 ? [undefined] : [...rule.findings]
  const seen = new Map<string, number>()
  return all.map((finding) => {
    const clause = finding?.clause ?? ''
    const nth = (seen.get(clause) ?? 0) + 1
    seen.set(clause, nth)
    const findings = finding === undefined ? [] : [finding]
    return {
      ...base,
      message: { text: `${headlineOf({ ...rule, findings })}\n\n${detailsOf({ ...rule, findings }, run)}` },
      partialFingerprints: fingerprintsOf(rule.id, clause, nth),
      properties: { clause, exchange: finding?.exchange ?? null },
    }
  })
}

/** The same for the same finding in each run: neither values nor ids of the run are in them. */
function fingerprintsOf(rule: string, clause: string, nth: number): Record<string, string> {
  const digest = createHash('sha256').update(`${rule}\n${clause}`).digest('hex').slice(0, 16)
  // GitHub knows only the first, and would otherwise take the line of the target file, the same for all findings.
  return { primaryLocationLineHash: `${digest}:${nth}`, 'plumblineFinding/v1': `${rule}/${clause}/${nth}` }
}

function locationOf({ id }: RuleResult, targetFile: string | null): Location {
  const logicalLocations = [{ fullyQualifiedName: id, kind: 'rule' }]
  if (targetFile === null) return { logicalLocations }
  return {
    physicalLocation: { artifactLocation: { uri: uriOf(targetFile) }, region: { startLine: 1 } },
    logicalLocations,
  }
}

/** A path as SARIF has it: relative to the folder of the run, or a file URI. */
function uriOf(path: string): string {
  const encoded = encodeURI(path.replace(/^(\.\/)+/, '')).replaceAll(/[?#:]/g, encodeURIComponent)
  return path.startsWith('/') ? `file://${encoded}` : encoded
}

function invocationOf(results: Results): Invocation {
  const { run, rules, verdict } = results
  const broken = rules.filter((rule) => rule.verdict === 'broken')
  return {
    executionSuccessful: verdict.exit === exitCodes.conformant || verdict.exit === exitCodes['not conformant'],
    exitCode: verdict.exit,
    exitCodeDescription: verdict.word,
    startTimeUtc: new Date(run.startedMs).toISOString(),
    endTimeUtc: new Date(run.endedMs).toISOString(),
    toolExecutionNotifications: [...broken, ...unverifiedOf(results)].map((rule) => notificationOf(rule, rules)),
  }
}

function notificationOf(rule: RuleResult, rules: readonly RuleResult[]): Notification {
  return {
    level: rule.verdict === 'broken' ? 'error' : 'warning',
    message: { text: `${rule.id} is ${rule.verdict}: ${reasonOf(rule)}` },
    associatedRule: { id: rule.id, index: rules.indexOf(rule) },
  }
}
