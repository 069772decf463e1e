import type { Recorder } from '../record/recorder.ts'
import type { Judgement } from './judge.ts'

/** Writes what a run says of one rule into its record: readings, findings, and the verdict last. */
export function tell(recorder: Recorder, judgement: Judgement): Judgement {
  const { rule, verdict, reason, by, exchanges, clauses, startedMs, endedMs } = judgement
  for (const [name, value] of Object.entries(judgement.readings)) recorder.event({ type: 'reading', rule, name, value })
  for (const finding of judgement.findings) recorder.event({ type: 'finding', rule, ...finding })
  recorder.event({ type: 'verdict', rule, verdict, reason, by, exchanges, clauses, startedMs, endedMs })
  return judgement
}
