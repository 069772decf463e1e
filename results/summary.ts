import type { RuleRow } from '../generated/rules.ts'
import type { EndEvent, RunEvent, VerdictEvent } from '../harness/record/events.ts'
import { InvalidRecord } from '../harness/record/read.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import { keptWord } from './kept.ts'
import type { Events } from './reproduction.ts'
import type { DrivenPlan, RuleResult } from './types.ts'

/** The part of a ledger row that results use. */
export type LedgerRow = Pick<RuleResult, 'id' | 'area' | 'profile' | 'level' | 'basis' | 'source' | 'says'> &
  Partial<Pick<RuleRow, 'needs' | 'parts'>>

/** Most findings of a rule that are shown. */
const shownFindings = 30
/** Most values of one reading that are shown. */
export const shownReadings = 20

/** A record without its exchanges. */
export type RecordSummary = Awaited<ReturnType<typeof readSummary>>

interface Findings {
  readonly shown: Finding[]
  readonly violated: Set<string>
  count: number
}

/** The record without its exchanges, from one pass over it. */
export async function readSummary(events: Events) {
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
export function selectedRows({ run, verdicts }: RecordSummary, ledger: readonly LedgerRow[]): LedgerRow[] {
  const ids = new Set([...run.rules, ...verdicts.keys()])
  const rows = ledger.filter(({ id }) => ids.delete(id))
  const [unknown] = ids
  if (unknown === undefined) return rows
  throw new InvalidRecord(
    `the record names the rule ${keptWord(unknown)}, which this ledger does not have; ${run.rulesFolder === undefined ? `read it with plumbline ${keptWord(run.plumbline)}` : `name the folder of its rules, which was ${keptWord(run.rulesFolder)}, with --rules`}`,
  )
}

/** The entry of a key, created if it is missing. */
function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}
