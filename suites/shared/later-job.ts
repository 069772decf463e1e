import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { Context } from '../../harness/rule/context.ts'

/**
 * Waits until anything accepted before would have been executed: a worker begins with a later job, then a dispatch and the longest
 * reread pass. If `whenEnded` is given, the job ends and `whenEnded` is called before that time passes. Resolves with the
 * response to the later job.
 */
export async function executeLaterJob(context: Context, whenEnded?: () => void): Promise<ApiResponse> {
  const { begun, clock, ended, fixture, lastRereadMs, target } = context
  const later = await fixture.submitted({ steps: [{ output: 'later' }] })
  await begun(later)
  if (whenEnded !== undefined) {
    await ended(later)
    whenEnded()
  }
  await clock.sleep(target.tolerances.dispatchMs + lastRereadMs())
  return later.response
}
