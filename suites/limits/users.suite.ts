import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import type { KeyName } from '../../target/types.ts'
import { fallsOf, readWindows } from './window-reads.ts'

/** Requests with the other key in each trial. They differ, so that what others send does not look the same each time. */
const trials = [2, 4, 3, 2, 4, 3, 2]
/** Trials that must show the same fault. */
const proof = 3
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

/**
 * Passes with the first trial in which each window counts as it should, and fails with a window that is wrong three
 * times. Any other number comes from a window that gives back, or from others who use the account.
 */
async function compareQuotas(context: Context, comparison: Comparison): Promise<void> {
  const { check, inconclusive } = context
  const { clause, counts, fails, expected, observed } = comparison
  const wrong = new Map<string, number>()
  for (const requests of trials) {
    const { counted, response } = await tryKey(context, comparison.key, requests)
    for (const { name, taken } of counted) {
      if (taken !== fails(requests)) continue
      wrong.set(name, (wrong.get(name) ?? 0) + 1)
      check(clause).that(wrong.get(name) !== proof, `r of ${name} ${expected}`, `r of ${name} ${observed}`, response)
    }
    if (counted.length > 0 && counted.every(({ taken }) => taken === counts(requests)))
      return check(clause).saw(response)
  }
  inconclusive('r changes for other reasons too: it is given back meanwhile, or others use the account')
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
