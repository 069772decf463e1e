import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { resetShownBy } from './reset-time.ts'
import { type Counted, fallsOf, judgeTrials, readWindows, type WindowRead } from './window-reads.ts'
import type { Window } from './windows-in.ts'

/** Requests of each trial. */
const trials = [2, 4, 3, 2, 5, 4, 3]
/** How long t is to fall, ms: whole seconds show it. */
const pauseMs = 3_000

rule('limits.pods.counts-each', { alone: true }, (context) =>
  judgeTrials(context, 'each', trials, async (requests) => {
    const { clock, reserve } = context
    await reserve(requests + 1)
    const reads = [await readWindows(context)]
    while (reads.length <= requests) reads.push(await readWindows(context))
    await clock.sleep(pauseMs)
    const later = await readWindows(context)
    expectTimeFallen(context, reads, later)
    const counted = (reads[0]?.windows ?? []).flatMap((window): Counted[] => {
      const observed = countOf(window, reads, later)
      const isRight = observed === 'each'
      const fault = isRight ? null : { expected: 'falls by 1 with each request', observed }
      return observed === 'unknown' ? [] : [{ name: window.name, isRight, fault }]
    })
    return { counted, response: later.response }
  }),
)

/** How r of a window fell with requests that followed each other; what it gives back may hide that. */
function countOf({ name, q, w }: Window, reads: readonly WindowRead[], later: WindowRead): string {
  const falls = fallsOf(name, reads)
  const [each = Number.NaN] = falls
  const isEven = falls.every((fall) => fall === each)
  if (isEven && each === 1) return 'each'
  if (isEven && each > 1) return `falls by ${each} with each request`
  const missing = falls.length - falls.reduce((sum, fall) => sum + fall, 0)
  const [first, last] = [reads[0]?.response.exchange, reads.at(-1)?.response.exchange]
  const [silent = Number.NaN] = fallsOf(name, [...reads.slice(-1), later])
  if (q === null || w === null || first === undefined || last === undefined) return 'unknown'
  const passedS = (last.received.target - first.sent.target) / 1_000
  // In a pause as long a window that gives back shows a higher r.
  const isGivenBack = !(silent >= 0) || passedS * 1_000 > pauseMs || missing <= (q * passedS) / w + 1
  return isGivenBack ? 'unknown' : 'falls by less than the requests sent'
}

/** Expects t of each window to have fallen in the pause. */
function expectTimeFallen({ check, target }: Context, reads: readonly WindowRead[], later: WindowRead): void {
  const { exchange } = later.response
  const last = reads.at(-1)
  for (const window of later.windows) {
    const t = last?.windows.find(({ name }) => name === window.name)?.t ?? null
    if (last === undefined || t === null) continue
    const { sent, received } = last.response.exchange
    const first = { t, sentMs: sent.target, receivedMs: received.target }
    const isStuck = resetShownBy(first, window, exchange, target.tolerances.windowSlackS) === 'stuck'
    const what = `t of ${window.name}`
    check('time').that(!isStuck, `${what} falls with time`, `${what} has not fallen`, later.response)
  }
}
