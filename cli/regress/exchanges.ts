import { type Exchange, isSuccess } from '../../harness/exchange/exchange.ts'
import { Unanswered } from '../../harness/rule/outcome.ts'

export function isSuccessful({ response }: Exchange): boolean {
  return response !== null && isSuccess(response.status)
}

/** Real ms; above 0, because ratios are compared by their logarithms. */
function latencyOf({ sent, received }: Exchange): number {
  return Math.max(0.001, received.harness - sent.harness)
}

/** Of the successful exchanges. */
export function latenciesOf(exchanges: readonly Exchange[]): number[] {
  return exchanges.filter(isSuccessful).map(latencyOf)
}

/** Without a response, the exchange counts as an error. */
export function expectUnanswered(error: unknown): null {
  if (!(error instanceof Unanswered)) throw error
  return null
}
