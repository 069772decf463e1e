import { isNeither, isRefused, isServed } from '../points.ts'
import { type Case, failed, passed, type Ruling, unclear } from './verdict.ts'

/** Share of the accepted jobs that /health must count, so that it would count refused ones. */
const COUNTED_SHARE = 0.9
/**
 * Share of the refused submissions, and jobs at least, that must be counted too many: others may have submitted a few, and a count may
 * lag or be taken while jobs change their status.
 */
const SURPLUS = { share: 0.02, jobs: 10 } as const

/** Submissions that are answered 429 put no job in the queue: /health counts no more new jobs than were accepted. */
export function judgeRejectedJobs({ plan, points }: Case): Ruling {
  const served = points.filter(isServed).length
  const refused = points.filter(isRefused).length
  const neither = points.filter(isNeither).length
  const added = plan.jobsAdded
  if (refused === 0) return unclear(`${plan.limit.operation} refused nothing`)
  if (added === null) return unclear('/health does not count jobs, as queue.health of the target file names them')
  const number = (count: number) => count.toLocaleString('en')
  const what = `${number(served)} submissions were served and ${number(refused)} refused, and /health counts ${number(added)} more jobs than before`
  if (added > served + neither + Math.max(SURPLUS.jobs, refused * SURPLUS.share)) return failed(what)
  if (added < served * COUNTED_SHARE) return unclear(`${what}, so refused ones may not be counted either`)
  return passed(what)
}
