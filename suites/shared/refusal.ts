import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { inconclusiveIfOutage, isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'

/** The response is a 4xx. */
export function expectRefusal({ check }: Context, clause: string, response: ApiResponse): void {
  inconclusiveIfOutage(response)
  check(clause).that(isRefusal(response), 'a 4xx status', `status ${response.status}`, response)
}

/** A response that may accept or refuse. */
export function expectAcceptedOrRefused({ check }: Context, clause: string, response: ApiResponse): void {
  inconclusiveIfOutage(response)
  const isEither = isSuccess(response.status) || isRefusal(response)
  check(clause).that(isEither, 'a 2xx or 4xx status', `status ${response.status}`, response)
}
