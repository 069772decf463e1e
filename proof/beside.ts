import { compareDefect } from './compare.ts'
import { withVariants } from './instance.ts'
import { everything, runJob } from './jobs.ts'
import { defectJob } from './plan.ts'
import type { Defect } from './types.ts'

/** Defects in the order in which they are laid over each other. */
interface Arranged {
  readonly order: readonly Defect[]
  /** Those that their rule does not find beside the others, in whatever order: most rules stop at their first failure. */
  readonly hidden: readonly Defect[]
  /** Those of which the order decides whether they work, in pairs that replace the same part; none may be left out silently. */
  readonly rivals: readonly Defect[]
}

/** Arranges defects of one instance so that each works if it can. The rule of each is judged with all of them. */
export async function arrange(defects: readonly Defect[]): Promise<Arranged> {
  const given = await hiddenIn(defects)
  if (given.size === 0) return { order: defects, hidden: [], rivals: [] }
  const order = defects.toReversed()
  const reversed = await hiddenIn(order)
  const hidden = defects.filter((defect) => given.has(defect) && reversed.has(defect))
  if (reversed.isSubsetOf(given)) return { order: given.isSubsetOf(reversed) ? defects : order, hidden, rivals: [] }
  if (given.isSubsetOf(reversed)) return { order: defects, hidden, rivals: [] }
  return { order: defects, hidden, rivals: defects.filter((defect) => given.has(defect) !== reversed.has(defect)) }
}

async function hiddenIn(order: readonly Defect[]): Promise<Set<Defect>> {
  const catalog = { ...everything(), defects: order.map((defect) => beside(defect, order)) }
  const judged = await Promise.all(order.map((defect) => runJob(defectJob(defect, catalog), catalog)))
  return new Set(order.filter((defect, place) => !compareDefect(defect, judged[place]?.[0]).killed))
}

/** The expectations of a defect with the changes of all. */
function beside({ wrap: _, ...defect }: Defect, order: readonly Defect[]): Defect {
  return {
    ...defect,
    change: (options) => withVariants(options, order),
    tool: (options) => order.reduce((changed, { tool }) => tool?.(changed) ?? changed, options),
    file: (target) => order.reduce((changed, { file }) => file?.(changed) ?? changed, target),
  }
}
