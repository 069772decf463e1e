import { cut } from '../common/cut.ts'
import type { VerdictEvent } from '../record/events.ts'
import type { Recorder } from '../record/recorder.ts'
import {
  Blocked,
  ClauseViolated,
  type Finding,
  Inconclusive,
  NotApplicable,
  Unclaimed,
  Unverified,
} from '../rule/outcome.ts'
import type { Drawn } from '../variation/variation.ts'

/** The judgement of one rule in a run. */
export interface Judgement extends Omit<VerdictEvent, 'type'> {
  readonly findings: readonly Finding[]
  readonly readings: Readonly<Record<string, string>>
  readonly variation: Drawn
}

interface RowFacts {
  readonly level: string
  readonly basis: string
}

/** The verdict that an error (or its absence) means for a rule of this level and basis. */
export function verdictOf(
  error: unknown,
  row: RowFacts,
  exchanges: number,
): Pick<Judgement, 'verdict' | 'reason' | 'by' | 'findings'> {
  const none = { reason: null, by: null, findings: [] }
  if (error === undefined) {
    if (exchanges === 0) return { ...none, verdict: 'inconclusive', reason: 'no exchange exercised this rule' }
    return { ...none, verdict: row.basis === 'open' ? 'observed' : 'passed' }
  }
  if (error instanceof ClauseViolated) {
    return { ...none, verdict: row.level === 'must' ? 'failed' : 'advice', findings: [error.finding] }
  }
  if (error instanceof Inconclusive) return { ...none, verdict: 'inconclusive', reason: error.message }
  if (error instanceof Blocked) return { ...none, verdict: 'blocked', reason: error.message, by: error.by }
  if (error instanceof Unclaimed) return { ...none, verdict: 'unclaimed', reason: error.message }
  if (error instanceof NotApplicable) return { ...none, verdict: 'not-applicable', reason: error.message }
  if (error instanceof Unverified) return { ...none, verdict: 'unverified', reason: error.message }
  return {
    ...none,
    verdict: 'broken',
    reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  }
}

/** Writes the judgement of one rule into the record: readings, findings, and the verdict last. */
export function recordJudgement(recorder: Recorder, judgement: Judgement): Judgement {
  const { rule, verdict, by, variation, exchanges, clauses, startedMs, endedMs } = judgement
  const reason = judgement.reason === null ? null : shorten(recorder, judgement.reason)
  for (const [name, value] of Object.entries(judgement.readings)) recorder.event({ type: 'reading', rule, name, value })
  for (const { clause, expected, observed, exchange } of judgement.findings) {
    const [wanted, seen] = [shorten(recorder, expected), shorten(recorder, observed)]
    recorder.event({ type: 'finding', rule, clause, expected: wanted, observed: seen, exchange })
  }
  recorder.event({ type: 'verdict', rule, verdict, reason, by, exchanges, clauses, variation, startedMs, endedMs })
  return judgement
}

/** Secrets are removed before the text is cut: the beginning of a key would not be recognised. */
export function shorten(recorder: Pick<Recorder, 'clean'>, text: string, max = 400): string {
  return cut(recorder.clean(text), max)
}
