import type { RuleRow } from '../generated/rules.ts'
import type { EvidenceEvent, FindingEvent, RunEvent, VerdictEvent } from '../harness/record/events.ts'
import type { Verdict } from '../harness/rule/outcome.ts'
import { buildResults } from '../results/build.ts'
import type { Results } from '../results/types.ts'
import { type MergedVerdict, mergeVerdicts } from './analyse/merge.ts'
import { milliseconds } from './analyse/verdict.ts'
import type { Judged } from './judge-step.ts'
import type { Undecided } from './queue/after-smoke.ts'

export interface LoadResultsOptions {
  /** What a record begins with; `rules` are those selected. */
  readonly run: RunEvent
  /** All rows of the ledger. */
  readonly ledger: readonly RuleRow[]
  readonly judged: readonly Judged[]
  readonly undecided: Undecided
  /** Rules that were left out before anything was sent. */
  readonly leftOut: ReadonlyMap<string, { readonly verdict: 'unclaimed' | 'not-applicable'; readonly reason: string }>
  /** Why the load ended before its end, or null. */
  readonly brokenOff: string | null
  /** Set where the target is not there: an exit code and one sentence. */
  readonly stopped: { readonly exit: number; readonly message: string } | null
  readonly endedMs: number
  /** The command that runs a rule again. */
  readonly rerun: (rule: string) => string
  /** What was so in this load and belongs to each of its verdicts, such as the version of k6. */
  readonly readings: Readonly<Record<string, string>>
}

/**
 * The results of a load in the form of those of `check`, so that reports, `merge` and people read both alike. Clauses
 * are the shapes that were driven; the exchanges of a rule are the requests of its plans.
 */
export async function loadResults(options: LoadResultsOptions): Promise<Results> {
  const { run, ledger, judged, stopped, endedMs, rerun } = options
  const merged = new Map(
    mergeVerdicts(judged.flatMap(({ verdicts }) => verdicts)).map((one) => [one.rule as string, one]),
  )
  const sent = judged.reduce((sum, { points }) => sum + points.length, 0)
  const rows = new Map(ledger.map((row) => [row.id, row]))
  const events: EvidenceEvent[] = [run]
  for (const id of run.rules) {
    const row = rows.get(id)
    if (row !== undefined && stopped === null) events.push(...eventsOf(row, merged.get(id), options))
  }
  events.push({
    type: 'end',
    endedMs,
    passedMs: Math.max(0, endedMs - run.startedMs),
    exchanges: sent,
    stopped,
  })
  const results = await buildResults(() => asyncOf(events), { ledger })
  return {
    ...results,
    run: { ...results.run, exchanges: sent },
    rules: results.rules.map((rule) => ({ ...rule, rerun: rerun(rule.id) })),
  }
}

function eventsOf(row: RuleRow, merged: MergedVerdict | undefined, options: LoadResultsOptions): EvidenceEvent[] {
  const { judged, undecided, leftOut, brokenOff, readings } = options
  const left = leftOut.get(row.id)
  const steps = judged.filter(({ verdicts }) => verdicts.some(({ rule }) => rule === row.id))
  const event = (verdict: Verdict, reason: string | null): VerdictEvent => ({
    type: 'verdict',
    rule: row.id,
    verdict,
    reason,
    by: null,
    exchanges: steps.reduce((sum, { points }) => sum + points.length, 0),
    clauses: [...new Set(steps.map(({ step }) => step.plan.shape))].sort(),
    startedMs: edgeOf(steps, Math.min, ({ sentMs }) => sentMs),
    endedMs: edgeOf(steps, Math.max, ({ receivedMs }) => receivedMs),
  })
  if (left !== undefined) return [event(left.verdict, left.reason)]
  const reason = undecided.get(row.id as MergedVerdict['rule'])
  if (reason !== undefined) return [event('inconclusive', reason)]
  // A proof stands, whatever became of the rest; a pass needs all of it.
  if (merged?.verdict === 'failed') {
    return [...findingsOf(row, merged, judged), event(row.level === 'must' ? 'failed' : 'advice', null)]
  }
  if (brokenOff !== null) return [event('unverified', `the load was broken off: ${brokenOff}`)]
  if (merged === undefined) return [event('inconclusive', 'no plan of this load judges it')]
  if (merged.verdict === 'inconclusive') return [event('inconclusive', merged.sentence)]
  const seen = Object.entries(readings).map(
    ([name, value]): EvidenceEvent => ({ type: 'reading', rule: row.id, name, value }),
  )
  return [...seen, event('passed', null)]
}

function findingsOf(row: RuleRow, { shapes }: MergedVerdict, judged: readonly Judged[]): FindingEvent[] {
  return shapes
    .filter(({ verdict }) => verdict === 'failed')
    .map(({ rule, operation, shape, sentence }) => ({
      type: 'finding',
      rule: row.id,
      clause: shape,
      expected: limitText(
        judged.find(
          ({ step, verdicts }) =>
            step.plan.shape === shape && verdicts.some((one) => one.rule === rule && one.operation === operation),
        ),
        row,
      ),
      observed: sentence,
      exchange: null,
    }))
}

/** What a shape of load holds the target to, in numbers; the sentence of the rule where that is no number. */
function limitText(one: Judged | undefined, { id, says }: RuleRow): string {
  if (one === undefined || one.step.plan.plane === 'pods') return says
  const { shape, limit } = one.step.plan
  const { operation, requests, windowMs, concurrent } = limit
  const rate = `${requests} requests of ${operation} each ${milliseconds(windowMs)}`
  if (id === `limits.queue.concurrent-${operation}` && concurrent !== null) {
    return `${concurrent} requests of ${operation} at once are taken, and beyond that 429`
  }
  if (id !== `limits.queue.${operation}`) return says
  return shape === 'under' ? `no 429 below ${rate}` : `429 beyond ${rate}`
}

/** The first or last moment of some steps in whole milliseconds; null where nothing was sent. */
function edgeOf(
  steps: readonly Judged[],
  edge: (a: number, b: number) => number,
  momentOf: (point: Judged['points'][number]) => number,
): number | null {
  let found: number | null = null
  for (const { points } of steps) {
    for (const point of points) found = found === null ? momentOf(point) : edge(found, momentOf(point))
  }
  return found === null ? null : Math.round(found)
}

async function* asyncOf(events: readonly EvidenceEvent[]): AsyncGenerator<EvidenceEvent> {
  yield* events
}
