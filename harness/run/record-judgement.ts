import type { Recorder } from '../record/recorder.ts'
import type { Judgement } from './judge.ts'

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
export function shorten(recorder: Pick<Recorder, 'clean'>, text: string, most = 400): string {
  const clean = recorder.clean(text)
  return clean.length > most ? `${clean.slice(0, most - 3)}…` : clean
}
