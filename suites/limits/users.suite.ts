import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import type { KeyName } from '../../target/types.ts'
import { fallsOf, judgeTrials, readWindows } from './window-reads.ts'

/** Requests with the other key in each trial. */
const trials = [2, 4, 3, 2, 4, 3, 2]
/** Reads of each trial with the full key. */
const ownReads = 3

rule('limits.pods.per-user', { alone: true }, (context) =>
  compareQuotas(context, {
    key: 'stranger',
    clause: 'unchanged',
    counts: () => 0,
    fails: (requests) => requests,
    expected: 'as it was before requests of another user',
    observed: 'lower by the requests of another user',
  }),
)

rule('limits.pods.shared-by-keys', { alone: true }, (context) =>
  compareQuotas(context, {
    key: 'second',
    clause: 'lowered',
    counts: (requests) => requests,
    fails: () => 0,
    expected: 'lower by the requests of another key of the user',
    observed: 'as it was before requests of another key of the user',
  }),
)

/** How requests of another key change r of the full key, in numbers of its own requests. */
interface Comparison {
  readonly key: KeyName
  readonly clause: string
  readonly counts: (requests: number) => number
  readonly fails: (requests: number) => number
  readonly expected: string
  readonly observed: string
}

function compareQuotas(context: Context, comparison: Comparison): Promise<void> {
  const { clause, counts, expected, fails, key, observed } = comparison
  return judgeTrials(context, clause, trials, async (requests) => {
    const { counted, response } = await tryKey(context, key, requests)
    const judged = counted.map(({ name, taken }) => ({
      name,
      isRight: taken === counts(requests),
      fault: taken === fails(requests) ? { expected, observed } : null,
    }))
    return { counted: judged, response }
  })
}

/**
 * Sends requests with another key between reads with the full key. `counted`: how many requests each window took from the
 * full key meanwhile, if its own read lowered r just before.
 */
async function tryKey(context: Context, key: KeyName, requests: number) {
  const { as, inconclusive, reserve } = context
  await reserve(ownReads + requests)
  const first = await readWindows(context)
  const before = await readWindows(context)
  for (let sent = 0; sent < requests; sent++) {
    const { status } = await as(key).list({ unpaced: true })
    if (!isSuccess(status)) inconclusive(`the list with keys.${key} was answered ${status}`)
  }
  const after = await readWindows(context)
  const counted = before.windows.flatMap(({ name }) => {
    const [each = 0, fall = 0] = fallsOf(name, [first, before, after])
    const taken = (fall - each) / each
    return each > 0 && Number.isInteger(taken) ? [{ name, taken }] : []
  })
  return { counted, response: after.response }
}
