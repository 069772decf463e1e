import { findRow } from '../harness/run/rows.ts'
import { verdictOrder } from '../verdicts/verdicts.ts'

const verdicts: ReadonlySet<unknown> = new Set(verdictOrder)

/** A kept verdict for a message. A changed file may hold anything, such as terminal escape sequences. */
export function keptVerdict(verdict: unknown): string {
  if (verdict === undefined || verdict === null) return 'nothing'
  return verdicts.has(verdict) ? String(verdict) : 'an unknown verdict'
}

/** The id of a kept rule, for a message. */
export function keptRule(id: unknown): string {
  return typeof id === 'string' && findRow(id) !== undefined ? id : 'an unknown rule'
}

/** A kept name or version, for a message: as JSON, unless it is a plain word. */
export function keptWord(word: string): string {
  return /^[\w.+-]+$/.test(word) ? word : JSON.stringify(word)
}
