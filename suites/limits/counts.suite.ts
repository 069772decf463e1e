import { isSuccess } from '../../harness/exchange/exchange.ts'
import { restartBeginsMs } from '../../harness/planes/pods/fixtures/history.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { resetShownBy } from './reset-time.ts'
import { type Counted, fallsOf, judgeTrials, readWindows, type WindowRead } from './window-reads.ts'
import type { Window } from './windows-in.ts'

/** Requests of each trial. */
const trials = [2, 4, 3, 2, 5, 4, 3]
/** How long t is to fall, ms: whole seconds show it. */
const pauseMs = 3_000

/** Restarts of each trial. One alone may be hidden by what is given back. */
const restarts = [2, 3, 4]

rule('limits.pods.counts-each', { alone: true }, async (context) => {
  await expectReadsCounted(context)
  if (context.part('pod.running')) await expectActionsCounted(context)
})

function expectReadsCounted(context: Context): Promise<void> {
  return judgeTrials(context, 'each', trials, async (requests) => {
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
  })
}

/**
 * From a list just before a restart, a read and a change of the pod to one just after them, r falls by 4; by more if an action
 * counts more, or others send. What was refused need not count.
 */
async function expectActionsCounted(context: Context): Promise<void> {
  const { id } = await context.fixture.pod('RUNNING')
  await judgeTrials(context, 'actions', restarts, async (count) => {
    const first = await aroundRequests(context, id)
    const steps = [first]
    while (steps.length < count) steps.push(await aroundRequests(context, id))
    const [, { response, windows }] = first.reads
    const passedMs = steps.reduce((sum, step) => sum + step.passedMs, 0)
    const counted = windows.flatMap(({ name, q, w }): Counted[] => {
      const falls = steps.flatMap(({ reads }) => fallsOf(name, reads))
      const missing =
        steps.reduce((sum, { succeeded }) => sum + succeeded, 0) - falls.reduce((sum, fall) => sum + fall, 0)
      const givenBack = q === null || w === null ? Number.NaN : (q * passedMs) / 1_000 / w + 1
      const isRight = missing <= 0 || (missing <= givenBack && givenBack < count)
      // A window that ends in a step, or gives back a request for each step, shows nothing.
      if (!falls.every((fall) => fall >= 0) || !(isRight || givenBack < count)) return []
      const fault = {
        expected: 'falls by 1 or more with each restart, read and change of the pod',
        observed: 'falls by less than the restarts, reads and changes of the pod',
      }
      return [{ name, isRight, fault: isRight ? null : fault }]
    })
    return { counted, response }
  })
}

/** A restart, a read and a change of the pod between two lists. */
interface Step {
  readonly reads: readonly [before: WindowRead, after: WindowRead]
  /** How many after the first list. */
  readonly succeeded: number
  readonly passedMs: number
}

async function aroundRequests(context: Context, id: string): Promise<Step> {
  const { blocked, clock, notJudged, pods, reserve, settle } = context
  await reserve(5)
  const before = await readWindows(context)
  const restart = await pods.act(id, 'restart')
  const read = await pods.get(id)
  const change = await pods.patch(id, { mounts: {} })
  const after = await readWindows(context)
  if (!isSuccess(restart.status)) blocked('pods.action.running.restart', `restart was answered ${restart.status}`)
  await clock.sleep(restartBeginsMs)
  await settle(id, (seen) => seen === 'RUNNING')
  const passedMs = after.response.exchange.received.target - before.response.exchange.sent.target
  if (!isSuccess(change.status)) notJudged('changes', `a PATCH was answered ${change.status}`)
  const succeeded = [restart, read, change, after.response].filter((one) => isSuccess(one.status)).length
  return { reads: [before, after], succeeded, passedMs }
}

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
