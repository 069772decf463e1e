import { rules } from '../generated/rules.ts'
import { verdictOrder } from './verdict.ts'

const verdicts: ReadonlySet<unknown> = new Set(verdictOrder)
const ids: ReadonlySet<unknown> = new Set(rules.map(({ id }) => id))

/** A verdict that was kept, for a message. What was changed may hold anything, such as orders to a terminal. */
export function keptVerdict(verdict: unknown): string {
  if (verdict === undefined || verdict === null) return 'nothing'
  return verdicts.has(verdict) ? String(verdict) : 'something that is no verdict'
}

/** The id of a rule that was kept, for a message. */
export function keptRule(id: unknown): string {
  return ids.has(id) ? String(id) : 'something that is no rule'
}

/** A name or a version that was kept, for a message: as JSON, unless it is a plain word. */
export function keptWord(word: string): string {
  return /^[\w.+-]+$/.test(word) ? word : JSON.stringify(word)
}
