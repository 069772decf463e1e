import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { resetShownBy } from './reset-time.ts'
import { fallsOf, readWindows, type WindowRead } from './window-reads.ts'
import type { Window } from './windows-in.ts'

/** Requests of each trial. They differ, so that what others send does not look the same each time. */
const trials = [2, 4, 3, 2, 5, 4, 3]
/** Trials that must show the same fault. */
const proof = 3
/** How long t is to fall, ms: whole seconds show it. */
const pauseMs = 3_000

rule('limits.pods.counts-each', { alone: true }, async (context) => {
  const { check, clock, inconclusive, reserve } = context
  const wrong = new Map<string, number>()
  for (const requests of trials) {
    await reserve(requests + 1)
    const reads = [await readWindows(context)]
    while (reads.length <= requests) reads.push(await readWindows(context))
    await clock.sleep(pauseMs)
    const later = await readWindows(context)
    const counts = (reads[0]?.windows ?? []).map((window) => [window.name, countOf(window, reads, later)] as const)
    for (const [name, count] of counts) {
      if (count === 'each' || count === 'unknown') continue
      const fault = `r of ${name} ${count}`
      wrong.set(fault, (wrong.get(fault) ?? 0) + 1)
      check('each').that(wrong.get(fault) !== proof, `r of ${name} falls by 1 with each request`, fault, later.response)
    }
    expectTimeFallen(context, reads, later)
    const known = counts.filter(([, count]) => count !== 'unknown')
    if (known.length > 0 && known.every(([, count]) => count === 'each')) return check('each').saw(later.response)
  }
  inconclusive('r changes for other reasons too: it is given back meanwhile, or others use the account')
})

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
