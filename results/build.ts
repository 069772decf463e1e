import type { RuleRow } from '../generated/rules.ts'
import { absenceOf, needsOf, unclaimedNeed, unjudgedParts } from '../harness/claims/claims.ts'
import { triedAfter } from '../harness/client/connections.ts'
import { jsonText } from '../harness/common/escape.ts'
import { isRule } from '../harness/exchange/owner-names.ts'
import { membersOf } from '../harness/exchange/read.ts'
import { allPlanes } from '../harness/planes/index.ts'
import type { EndEvent, RunEvent, VerdictEvent } from '../harness/record/events.ts'
import { InvalidRecord, toExchange } from '../harness/record/read.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import { falseExcuses } from '../harness/run/excuses.ts'
import { findRow } from '../harness/run/rows.ts'
import type { Target } from '../target/types.ts'
import { type Verdict, verdictOrder } from '../verdicts/verdicts.ts'
import { toCurl } from './curl.ts'
import { fromTarget } from './from-target.ts'
import { keptWord } from './kept.ts'
import { acceptedBy, dayOf, judgeKnown, knownOf } from './known.ts'
import { type Events, type Failing, gather, type OpenExchange, type Reproduction } from './reproduction.ts'
import { rerunCommand, targetFacts } from './rerun.ts'
import { type DrivenPlan, type KnownResult, type Results, type RuleResult, resultsFormat } from './types.ts'
import { aboutTheTarget, judgeRun, notSelected } from './verdict.ts'

/** The part of a ledger row that results use. */
export type LedgerRow = Pick<RuleResult, 'id' | 'area' | 'profile' | 'level' | 'basis' | 'source' | 'says'> &
  Partial<Pick<RuleRow, 'needs' | 'parts'>>

interface BuildOptions {
  /** All rows of the ledger, in its order. */
  readonly ledger: readonly LedgerRow[]
  /** Opens a recorded exchange; needed if bodies are in separate files (`toExchange` of the record). */
  readonly open?: OpenExchange
}

/** The beginning of the reason of each rule of a run that could not start; the verdict of the run has the rest, too. */
export const notStarted = 'the run could not start: '

/** Most findings of a rule that are shown. */
const shownFindings = 30
/** Most failing rules that are shown with their scenario. */
const shownScenarios = 100
/** Most values of one reading that are shown. */
const shownReadings = 20

type RecordSummary = Awaited<ReturnType<typeof readSummary>>

interface Findings {
  readonly shown: Finding[]
  readonly violated: Set<string>
  count: number
}

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

/** The record without its exchanges, from one pass over it. */
async function readSummary(events: Events) {
  let run: RunEvent | null = null
  let end: EndEvent | null = null
  let exchanges = 0
  const load: DrivenPlan[] = []
  /** The last moment in the record, on the clock of the harness. */
  let lastMs = 0
  const verdicts = new Map<string, VerdictEvent>()
  const findings = new Map<string, Findings>()
  const readings = new Map<string, Map<string, Set<string>>>()
  /** Of each owner of exchanges: when its first request was sent and its last response came, on the clock of the harness. */
  const spans = new Map<string, { readonly firstMs: number; lastMs: number }>()
  for await (const event of events()) {
    if (event.type === 'run') run = event
    else if (event.type === 'end') end = event
    else if (event.type === 'plan') {
      exchanges += event.requests
      if (event.perSecond !== undefined) load.push({ plan: event.plan, ...event.perSecond })
    } else if (event.type === 'exchange') {
      exchanges++
      lastMs = event.received.harness
      const span = entry(spans, event.owner, () => ({ firstMs: event.sent.harness, lastMs }))
      span.lastMs = Math.max(span.lastMs, lastMs)
    } else if (event.type === 'verdict') {
      if (verdicts.has(event.rule))
        throw new InvalidRecord(`the record has two verdicts for ${event.rule}; a rule has only one`)
      verdicts.set(event.rule, event)
    } else if (event.type === 'finding') {
      const { rule, clause, expected, observed, exchange } = event
      const of = entry(findings, rule, () => ({ shown: [], violated: new Set<string>(), count: 0 }))
      of.violated.add(clause)
      if (of.count++ < shownFindings) of.shown.push({ clause, expected, observed, exchange })
    } else if (event.type === 'reading') {
      const values = entry(
        entry(readings, event.rule, () => new Map()),
        event.name,
        () => new Set(),
      )
      if (values.size <= shownReadings) values.add(event.value)
    }
  }
  if (run === null) throw new InvalidRecord('the record does not begin with a run; it is empty or damaged')
  load.sort((a, b) => (a.plan < b.plan ? -1 : 1))
  return { run, end, exchanges, load, lastMs, spans, verdicts, findings, readings }
}

/** Rows of the rules that were selected or judged, in the order of the ledger. */
function selectedRows({ run, verdicts }: RecordSummary, ledger: readonly LedgerRow[]): LedgerRow[] {
  const ids = new Set([...run.rules, ...verdicts.keys()])
  const rows = ledger.filter(({ id }) => ids.delete(id))
  const [unknown] = ids
  if (unknown === undefined) return rows
  throw new InvalidRecord(
    `the record names the rule ${keptWord(unknown)}, which this ledger does not have; ${run.rulesFolder === undefined ? `read it with plumbline ${keptWord(run.plumbline)}` : `name the folder of its rules, which was ${keptWord(run.rulesFolder)}, with --rules`}`,
  )
}

/**
 * The effective verdict of a rule: without an exchange it does not pass, a missing verdict is reported, and a rule is not
 * blocked by one that passed. A rule that blocked another and was not selected is named with its flag.
 */
function verdictOf(
  { verdicts, end, run }: RecordSummary,
  row: LedgerRow,
): { readonly verdict: Verdict; readonly reason: string | null } {
  const event = verdicts.get(row.id)
  if (event === undefined) {
    if (end === null) return { verdict: 'unverified', reason: 'the run was cut short before this rule was judged' }
    if (end.stopped !== null) {
      const absent = absentNeed(run, row)
      if (absent !== null) return { verdict: 'not-applicable', reason: absent }
      return { verdict: 'unverified', reason: `${notStarted}${end.stopped.message}` }
    }
    return { verdict: 'broken', reason: 'the run ended without a verdict for this rule' }
  }
  if ((event.verdict === 'passed' || event.verdict === 'observed') && event.exchanges === 0) {
    return { verdict: 'inconclusive', reason: 'no exchange exercised this rule' }
  }
  const cause = verdicts.get(event.by ?? '')
  if (cause !== undefined && falseExcuses([event, cause]).length > 0) {
    return { verdict: 'inconclusive', reason: `blocked by ${event.by}, which passed: ${event.reason}` }
  }
  const missing = findRow(event.by ?? '')?.id
  if (missing === undefined || run.rules.includes(missing)) return event
  return { ...event, reason: `${event.reason}; ${missing} was not selected, run it with --only ${missing}` }
}

/** The need of a rule that the recorded target declares absent, with the reason; null without one. */
function absentNeed({ target }: RunEvent, { needs = [], ...row }: LedgerRow): string | null {
  const absent = membersOf(membersOf(target)?.absent) ?? {}
  for (const need of needsOf({ ...row, needs })) {
    const reason = absenceOf(absent, need)
    if (typeof reason === 'string') return `${need} is absent: ${reason}`
  }
  return null
}

/** The recorded target; anything missing in the record is not offered. */
function targetOf({ target }: RunEvent): Target {
  const planes = Object.fromEntries(allPlanes().map(({ name }) => [name, null]))
  return { ...planes, receiver: null, keys: {}, absent: {}, ...membersOf(target) } as unknown as Target
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

/** The rule whose exchange shows a finding; null if the exchange belongs to no rule, or is not kept. */
function ownerOf({ steps }: Reproduction, exchange: number | null): string | null {
  const owner = steps.find(({ shown }) => shown.n === exchange)?.shown.owner ?? null
  const rule = owner === null ? null : triedAfter(owner)
  return rule === null || !isRule(rule) ? null : rule
}

function ruleResult(
  summary: RecordSummary,
  row: LedgerRow,
  known: readonly KnownResult[],
  scenario: Reproduction = { steps: [], omitted: 0 },
): RuleResult {
  const { id, area, profile, level, basis, source, says } = row
  const { run, verdicts, findings, readings } = summary
  const event = verdicts.get(id)
  const { verdict, reason } = verdictOf(summary, row)
  const found = findings.get(id) ?? { shown: [], violated: new Set<string>(), count: 0 }
  const accepted = verdict === 'failed' || verdict === 'advice' ? acceptedBy(known, id, found.violated) : null
  const need = verdict === 'unclaimed' && reason !== null ? unclaimedNeed(reason) : undefined
  const [first] = found.shown
  const shown = scenario.steps.find(({ shown }) => shown.n === first?.exchange)?.shown
  const given =
    first === undefined || targetFacts(run).embedded ? {} : fromTarget(run.target, row.needs ?? [], first, shown)
  const rerun = rerunCommand(run, { id, profile, shownBy: ownerOf(scenario, first?.exchange ?? null) })
  return {
    id,
    area,
    profile,
    level,
    basis,
    source,
    says,
    verdict,
    reason,
    by: verdict === 'blocked' ? (event?.by ?? null) : null,
    ...(need !== undefined && { need }),
    exchanges: event?.exchanges ?? 0,
    unjudged:
      run.traffic === undefined && aboutTheTarget.has(verdict)
        ? unjudgedParts(targetOf(run), { parts: row.parts ?? [] })
        : [],
    clauses: event?.clauses ?? [],
    findings: found.shown,
    ...(Object.keys(given).length > 0 && { fromTarget: given }),
    readings: readingsOf(readings.get(id)),
    variation: event?.variation ?? {},
    startedMs: event?.startedMs ?? null,
    endedMs: event?.endedMs ?? null,
    realMs: realMsOf(summary, id),
    known: accepted === null ? null : { reason: accepted.reason, expires: accepted.expires },
    scenario: scenario.steps.map(({ shown }) => shown),
    omitted: { findings: found.count - found.shown.length, exchanges: scenario.omitted },
    // Shell lines would send the requests of somebody else again, whose keys are not known.
    curl:
      run.traffic === undefined
        ? toCurl({
            ...targetFacts(run),
            plumbline: run.plumbline,
            run: run.run,
            rule: id,
            rerun,
            ...scenario,
            finding: first ?? null,
          })
        : [],
    rerun,
  }
}

/**
 * Real time of a rule, ms; null if it never ran. On a clock that is not real: from its first request to its last
 * response, 0 if it judges the exchanges of others.
 */
function realMsOf({ run, verdicts, spans }: RecordSummary, id: string): number | null {
  const { startedMs = null, endedMs = null } = verdicts.get(id) ?? {}
  if (startedMs === null || endedMs === null) return null
  if (run.clock === 'real' || run.load?.rules.includes(id)) return endedMs - startedMs
  const { firstMs, lastMs } = spans.get(id) ?? { firstMs: 0, lastMs: 0 }
  return Math.round(lastMs - firstMs)
}

function readingsOf(readings: ReadonlyMap<string, ReadonlySet<string>> = new Map()): Record<string, string> {
  const text = (values: ReadonlySet<string>) => {
    const sorted = [...values].sort()
    return sorted.length > shownReadings ? `${sorted.slice(0, shownReadings).join(', ')}, …` : sorted.join(', ')
  }
  return Object.fromEntries([...readings.keys()].sort().map((name) => [name, text(readings.get(name) ?? new Set())]))
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

/** The entry of a key, created if it is missing. */
function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}
