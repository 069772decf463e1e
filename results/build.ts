import { jsonText } from '../harness/common/escape.ts'
import { toExchange } from '../harness/record/read.ts'
import { type Verdict, verdictOrder } from '../verdicts/verdicts.ts'
import { dayOf, judgeKnown, knownOf } from './known.ts'
import { type Events, type Failing, gather, type OpenExchange } from './reproduction.ts'
import { targetFacts } from './rerun.ts'
import { ruleResult, verdictOf } from './rule-result.ts'
import { type LedgerRow, type RecordSummary, readSummary, selectedRows } from './summary.ts'
import { type Results, type RuleResult, resultsFormat } from './types.ts'
import { judgeRun, notSelected } from './verdict.ts'

interface BuildOptions {
  /** All rows of the ledger, in its order. */
  readonly ledger: readonly LedgerRow[]
  /** Opens a recorded exchange; needed if bodies are in separate files (`toExchange` of the record). */
  readonly open?: OpenExchange
}

/** Most failing rules that are shown with their scenario. */
const shownScenarios = 100

/**
 * The results of a run: a pure function of its evidence and the ledger. `events` is called once a pass, at most three
 * times; of an exchange no more than its outline is held. Rejects with one sentence if the record names no
 * run, a rule twice, or a rule that the ledger does not have.
 */
export async function buildResults(
  events: Events,
  { ledger, open = (event) => toExchange('', event) }: BuildOptions,
): Promise<Results> {
  const summary = await readSummary(events)
  const rows = selectedRows(summary, ledger)
  const known = judgeKnown({
    entries: knownOf(summary.run.target),
    day: dayOf(summary.run.startedMs),
    exists: (rule) => ledger.some(({ id }) => id === rule),
    shown: (rule) => {
      const row = rows.find(({ id }) => id === rule)
      if (row === undefined) return undefined
      const violated = summary.findings.get(rule)?.violated ?? new Set<string>()
      return { verdict: verdictOf(summary, row).verdict, clauses: summary.verdicts.get(rule)?.clauses ?? [], violated }
    },
  })
  const scenarios = await gather(events, open, failingOf(summary, rows))
  const rules = rows.map((row) => ruleResult(summary, row, known, scenarios.get(row.id)))
  const { verdict, coverage } = judgeRun({
    rules: rules.map((rule) => ({ ...rule, accepted: rule.known !== null })),
    known,
    profiles: summary.run.profiles,
    strict: summary.run.strict,
    ...(summary.run.isSparing === true && { isSparing: true }),
    ...notSelected(ledger, {
      selected: new Set(summary.run.rules),
      profiles: summary.run.profiles,
      byLoad: summary.run.load?.rules ?? null,
    }),
    ended: summary.end !== null,
    ...(summary.run.traffic !== undefined && { trafficExchanges: summary.exchanges }),
    stopped: summary.end?.stopped ?? null,
    serverEnd: summary.end?.serverEnd,
  })
  return {
    format: resultsFormat,
    run: runOf(summary),
    ...{ verdict, coverage, counts: countsOf(rules), rules, known },
    ...(summary.load.length > 0 && { load: summary.load }),
  }
}

/** The text of `results.json`: equal results give equal bytes. */
export function serialiseResults(results: Results): string {
  return jsonText(results)
}

/** Failing rules whose scenarios are shown: musts first, each in the order of the ledger. */
function failingOf(summary: RecordSummary, rows: readonly LedgerRow[]): Failing[] {
  const ids = (verdict: Verdict) =>
    rows.filter((row) => verdictOf(summary, row).verdict === verdict).map(({ id }) => id)
  return [...ids('failed'), ...ids('advice')].slice(0, shownScenarios).map((rule) => ({
    rule,
    evidence: (summary.findings.get(rule)?.shown ?? []).flatMap(({ exchange }) => exchange ?? []),
    finding: summary.findings.get(rule)?.shown.find(({ exchange }) => exchange !== null) ?? null,
  }))
}

/** How many rules have each verdict that occurs. */
export function countsOf(rules: readonly RuleResult[]): Results['counts'] {
  const count = (verdict: Verdict) => rules.filter((rule) => rule.verdict === verdict).length
  return Object.fromEntries(
    verdictOrder.map((verdict) => [verdict, count(verdict)] as const).filter(([, of]) => of > 0),
  )
}

function runOf({ run, end, exchanges, lastMs }: RecordSummary): Results['run'] {
  const { suite, ledger, specification, target } = run.digests
  return {
    id: run.run,
    plumbline: run.plumbline,
    target: targetFacts(run).name,
    targetFile: run.targetFile,
    startedMs: run.startedMs,
    endedMs: end?.endedMs ?? Math.max(run.startedMs, lastMs),
    passedMs: end?.passedMs ?? null,
    seed: run.seed,
    clock: run.clock,
    profiles: run.profiles,
    strict: run.strict,
    selected: run.rules.length,
    exchanges,
    ...(run.traffic !== undefined && { traffic: true }),
    ...(end?.serverEnd !== undefined && { serverEnd: end.serverEnd }),
    digests: { suite, ledger, specification, target },
  }
}
