import type { ApiResponse } from '../../harness/client/api-response.ts'
import { pausesWithin, pollOn } from '../../harness/clock/poll.ts'
import type { Context } from '../../harness/rule/context.ts'

/**
 * Looks until `isDone`, with growing pauses, at most for `boundMs` after the first look.
 * @returns the last look, done or not
 */
export function poll<T>(
  { clock, target }: Pick<Context, 'clock' | 'target'>,
  boundMs: number,
  look: () => Promise<T>,
  isDone: (seen: T) => boolean,
): Promise<T> {
  return pollOn(clock, pausesWithin(clock, target.tolerances.pollMs, boundMs), look, isDone)
}

/** Sends until the response is no 404, at most for the tolerance `visible`: something new may not be found by its id yet. */
export function untilFound(
  context: Pick<Context, 'clock' | 'target'>,
  send: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  return poll(context, context.target.tolerances.visibleMs, send, ({ status }) => status !== 404)
}
