import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { PendingEvent } from '../../harness/clock/types.ts'
import type { Context } from '../../harness/rule/context.ts'

/** The responses to requests that are under way at once, in their order; null for one that has none in time. */
export async function responsesTo(
  { clock, target }: Pick<Context, 'clock' | 'target'>,
  requests: readonly PendingEvent<ApiResponse>[],
): Promise<readonly (ApiResponse | null)[]> {
  const responses: (ApiResponse | null)[] = []
  for (const one of requests) responses.push(await clock.until(one, clock.now() + target.tolerances.answerMs))
  return responses
}
