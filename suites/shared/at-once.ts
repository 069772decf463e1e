import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { PendingEvent } from '../../harness/clock/types.ts'
import type { Context } from '../../harness/rule/context.ts'

/** The responses to requests that are under way together, in their order; null for one that has none within `boundMs`, of which a quota may take its part. */
export async function responsesTo(
  { clock, target }: Pick<Context, 'clock' | 'target'>,
  requests: readonly PendingEvent<ApiResponse>[],
  boundMs = target.tolerances.rateWaitMs + target.tolerances.answerMs,
): Promise<readonly (ApiResponse | null)[]> {
  const responses: (ApiResponse | null)[] = []
  const deadline = clock.now() + boundMs
  for (const one of requests) responses.push(await clock.until(one, deadline))
  return responses
}
