import type { Shape } from '../plan/types.ts'
import { type LoadVerdict, passed, type Ruling, unclear } from './verdict.ts'

/** Without one of each a rate was looked at from one side only. */
const rateShapes: readonly (readonly Shape[])[] = [['under'], ['over', 'burst']]

/**
 * The ruling on a rule over all shapes that were driven: the worst of them, null if there are none. A rate passes only
 * if it was driven below and beyond the limit.
 */
export function rulingOf(shapes: readonly LoadVerdict[]): Ruling | null {
  if (shapes.length === 0) return null
  const worst =
    shapes.find(({ verdict }) => verdict === 'failed') ?? shapes.find(({ verdict }) => verdict === 'inconclusive')
  if (worst !== undefined) return worst
  const isRate = shapes.some(({ rule, operation }) => rule === `limits.queue.${operation}`)
  const missing = rateShapes.filter((side) => isRate && !shapes.some(({ shape }) => side.includes(shape)))
  if (missing.length > 0) return unclear(`the shape ${missing.map(([shape]) => shape).join(' and ')} was not driven`)
  return passed(shapes.map(({ sentence }) => sentence).join('; '))
}
