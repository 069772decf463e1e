import { absenceOf, needsOf, unclaimedNeed, unjudgedParts } from '../harness/claims/claims.ts'
import { triedAfter } from '../harness/client/connections.ts'
import { isRule } from '../harness/exchange/owner-names.ts'
import { membersOf } from '../harness/exchange/read.ts'
import { allPlanes } from '../harness/planes/index.ts'
import type { RunEvent } from '../harness/record/events.ts'
import { falseExcuses } from '../harness/run/excuses.ts'
import { findRow } from '../harness/run/rows.ts'
import type { Target } from '../target/types.ts'
import type { Verdict } from '../verdicts/verdicts.ts'
import { toCurl } from './curl.ts'
import { fromTarget } from './from-target.ts'
import { acceptedBy } from './known.ts'
import type { Reproduction } from './reproduction.ts'
import { rerunCommand, targetFacts } from './rerun.ts'
import { type LedgerRow, type RecordSummary, shownReadings } from './summary.ts'
import type { KnownResult, RuleResult } from './types.ts'
import { aboutTheTarget } from './verdict.ts'

/** The beginning of the reason of each rule of a run that could not start; the verdict of the run has the rest, too. */
export const notStarted = 'the run could not start: '

/**
 * The effective verdict of a rule: without an exchange it does not pass, a missing verdict is reported, and a rule is not
 * blocked by one that passed. A rule that blocked another and was not selected is named with its flag.
 */
export function verdictOf(
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

/** The result of a rule, with its scenario if it is shown. */
export function ruleResult(
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

/** The rule whose exchange shows a finding; null if the exchange belongs to no rule, or is not kept. */
function ownerOf({ steps }: Reproduction, exchange: number | null): string | null {
  const owner = steps.find(({ shown }) => shown.n === exchange)?.shown.owner ?? null
  const rule = owner === null ? null : triedAfter(owner)
  return rule === null || !isRule(rule) ? null : rule
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
