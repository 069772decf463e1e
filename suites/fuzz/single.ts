import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { CallOptions } from '../../harness/client/caller.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { inconclusiveIfOutage } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { orAgain, responseTo } from '../../harness/rule/outcome.ts'
import { bodySaid, bodyText, caseText, type FuzzCase } from './cases.ts'
import { allowedText, allowsNoSuccess, classify, isIn, type Situation } from './oracle.ts'
import { simplest } from './shrink.ts'

/** An operation whose bodies do not depend on each other. */
export interface Way {
  readonly clause: string
  readonly situation: Situation
  readonly send: (one: FuzzCase, options?: CallOptions) => Promise<ApiResponse>
  /** Ends the rule if something else than the body explains a forbidden response. */
  readonly excuse?: (response: ApiResponse) => void | Promise<void>
}

/** Sends a case; fails with the simplest that does the same if its response is in no class that the oracle allows. */
export async function trySingle({ check }: Context, way: Way, one: FuzzCase): Promise<ApiResponse> {
  const { clause, situation, excuse } = way
  const isAllowed = ({ status }: ApiResponse, { bytes }: FuzzCase) => {
    // Other rules judge which success it is.
    const seen = isSuccess(status) ? 200 : status
    return classify(situation, bytes).some(({ answers }) => isIn(seen, answers))
  }
  const response = await sendTwice(way, one)
  check(clause).saw(response)
  if (isAllowed(response, one)) return response
  await excuse?.(response)
  inconclusiveIfOutage(response)
  const { one: least } = await simplest({ one, path: '' }, async (simpler) => {
    const again = await sendTwice(way, simpler)
    return again.status === response.status && !isAllowed(again, simpler)
  })
  const expected = `${allowedText(classify(situation, one.bytes))} to ${bodyText(least.bytes)}`
  check(clause).that(false, expected, `status ${response.status} to ${caseText(least)}`, response)
  return response
}

/** Sends a case, and once more without a complete response; the reason names its body if none comes again. */
async function sendTwice({ send, situation }: Way, one: FuzzCase): Promise<ApiResponse> {
  const isWrong = allowsNoSuccess(classify(situation, one.bytes))
  return orAgain(
    () => send(one, { isWrong }),
    () => responseTo(bodySaid(one), send(one, { isWrong, newConnection: true })),
  )
}
