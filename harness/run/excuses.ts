import type { VerdictEvent } from '../record/events.ts'

type Excused = Pick<VerdictEvent, 'rule' | 'verdict' | 'by' | 'exchanges'>

/**
 * Judgements of rules that are blocked by a rule which held in the same run: the cause that they name is not one. Then the
 * suite gave up although the same request works.
 */
export function falseExcuses<T extends Excused>(judgements: readonly T[]): T[] {
  const holding = new Set(judgements.filter(isHeld).map(({ rule }) => rule))
  return judgements.filter(({ verdict, by }) => verdict === 'blocked' && by !== null && holding.has(by))
}

/** True if a rule was exercised and not violated. */
function isHeld({ verdict, exchanges }: Excused): boolean {
  return (verdict === 'passed' || verdict === 'observed') && exchanges > 0
}
