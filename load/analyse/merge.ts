import type { Shape } from '../plan/types.ts'
import type { LoadRule } from './rules.ts'
import type { LoadVerdict } from './verdict.ts'

/** A rule's verdict over all shapes that were driven, and each of them. */
export interface MergedVerdict {
  readonly rule: LoadRule
  readonly verdict: LoadVerdict['verdict']
  readonly sentence: string
  readonly shapes: readonly LoadVerdict[]
}

/** Without one of each a rate was looked at from one side only. */
const RATE_SHAPES: readonly (readonly Shape[])[] = [['under'], ['over', 'burst']]

/** One verdict a rule: the worst of its shapes; a rate passes only where it was driven below and beyond the limit. */
export function mergeVerdicts(verdicts: readonly LoadVerdict[]): MergedVerdict[] {
  const rules = [...new Set(verdicts.map(({ rule }) => rule))].sort()
  return rules.map((rule) => {
    const shapes = verdicts.filter((verdict) => verdict.rule === rule)
    const decisive =
      shapes.find(({ verdict }) => verdict === 'failed') ?? shapes.find(({ verdict }) => verdict === 'inconclusive')
    if (decisive !== undefined) return { rule, verdict: decisive.verdict, sentence: decisive.sentence, shapes }
    const missing = RATE_SHAPES.filter(
      (side) => isRate(shapes) && !shapes.some(({ shape }) => side.includes(shape)),
    ).map(([shape]) => shape)
    if (missing.length > 0) {
      return { rule, verdict: 'inconclusive', sentence: `the shape ${missing.join(' and ')} was not driven`, shapes }
    }
    return { rule, verdict: 'passed', sentence: shapes.map(({ sentence }) => sentence).join('; '), shapes }
  })
}

function isRate(shapes: readonly LoadVerdict[]): boolean {
  return shapes.some(({ rule, operation }) => rule === `limits.queue.${operation}`)
}
