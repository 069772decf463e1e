import { type PodAction, podActions, tables } from '../../generated/tables.ts'
import { lasting } from '../../harness/client/outage.ts'
import type { Reply } from '../../harness/client/reply.ts'
import { lengthOf } from '../../harness/common/length.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type PodView, podOf } from '../../harness/exchange/read.ts'
import { restartBeginsMs } from '../../harness/fixtures/history.ts'
import { unseenHint } from '../../harness/fixtures/pods.ts'
import { quotaIn } from '../../harness/planes/pods/pod-times.ts'
import { type Check, isOutage, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod, aPod } from '../../harness/variation/dimensions.ts'
import type { PodStatus } from '../../target/types.ts'
import { expectUnchanged, looksLater } from '../shared/unchanged.ts'
import { expectFullPod, expectNoBody, expectTerminated, inconclusiveIfScarce, whileScarce } from './answers.ts'

/** Statuses that a pod leaves by itself; what is asked of it may meet the next one. */
const transient: ReadonlySet<PodStatus> = new Set(['PROVISIONING', 'STARTING'])
/** Statuses of pods that may have a history. */
const settled: ReadonlySet<PodStatus> = new Set(['RUNNING', 'EXITED'])
const gone: ReadonlySet<string> = new Set(['TERMINATED', 'gone'])
/** Statuses that a pod on its way to RUNNING does not come to by itself. */
const ended: ReadonlySet<string> = new Set(['EXITED', ...gone])
const final: ReadonlySet<string> = new Set(['RUNNING', 'ERROR', ...ended])
const podsTried = 4
/** Pause after an answer of a gateway, ms. */
const outageMs = 2_000
/** A call that is sent later than this was held up by a quota, ms. */
const lateMs = 1_000

for (const name of ['running', 'exited', 'error', 'provisioning', 'starting'] as const) {
  const status = name.toUpperCase() as Uppercase<typeof name>
  for (const action of podActions) {
    const judge = tables.actions[status].includes(action) ? permitted : refused
    rule(`pods.action.${name}.${action}`, { varies: settled.has(status) ? anyPod : aPod }, (context) =>
      judge(context, status, action),
    )
  }
}

async function permitted(context: Context, status: PodStatus, action: PodAction): Promise<void> {
  const { check, pods } = context
  const { pod, reply: first } = await actIn(context, status, action)
  const reply = context.lacksCapacity(first) ? await whileScarce(context, pod, () => pods.act(pod.id, action)) : first
  const { answer } = tables.transitions[action]
  const isScarce = context.lacksCapacity(reply)
  check('answered').that(
    !isScarce,
    `status ${answer}, as a new pod of the kind is created now`,
    responseText(reply),
    reply,
  )
  check('answered').status(reply, answer)
  if (action === 'terminate') expectNoBody(check('no-body'), reply)
  else expectFullPod(check('full-pod'), reply)
  // Whatever sent a pod into ERROR may send it there again: pods.action.error.start-leaves asks no more than a try.
  if (status === 'ERROR' && action === 'start') return
  await becomes(context, pod, action)
  if (settled.has(status)) await again(context, pod, status, action)
}

/** Takes an action a second time, once its pod is back in the status, if it comes back there. */
async function again(context: Context, { id }: PodView, status: PodStatus, action: PodAction): Promise<void> {
  const { check, pods, settle } = context
  const way = { start: 'stop', stop: 'start', restart: null, terminate: undefined }[action]
  if (way === undefined) return
  if (way !== null) {
    if (!isSuccess((await pods.act(id, way)).status)) return
    if (!(await settle(id, (seen) => seen === status)).settled) return
  }
  const pod = podOf((await pods.get(id)).json, 0)
  if (pod === null) return
  const reply = await whileScarce(context, pod, () => pods.act(id, action))
  check('answered').status(reply, tables.transitions[action].answer)
  await becomes(context, pod, action)
}

async function refused(context: Context, status: PodStatus, action: PodAction): Promise<void> {
  const { check, stoodStill } = context
  const { pod, before, reply } = await actIn(context, status, action)
  check('refused').status(reply, 409)
  if (!transient.has(status)) {
    await expectUnchanged(context, pod)
    check('refused').status(await context.pods.act(pod.id, action), 409)
    check('unchanged').sameAs(await context.pods.get(pod.id), pod)
    return
  }
  const after = await context.pods.get(pod.id)
  if (stoodStill(before, after)) check('unchanged').sameAs(after, pod)
  const rest = await context.settle(pod.id, (seen) => final.has(seen))
  check('goes-on').that(!ended.has(rest.status), 'a pod that goes on to RUNNING', `status ${rest.status}`, rest.reply)
}

interface Acted {
  /** As read in the status, just before the call. */
  readonly pod: PodView
  readonly before: Reply
  readonly reply: Reply
}

/**
 * Sends an action to a pod in a status, its own; again on another one if it had or may have left the status. One
 * pod may have become RUNNING on the way and have been right to restart; not all of them, where the status lasts.
 */
async function actIn(context: Context, status: PodStatus, action: PodAction): Promise<Acted> {
  const { clock, fixture, pods } = context
  const restarted: Acted[] = []
  const outages: Acted[] = []
  let late: { readonly ms: number; readonly reply: Reply } | null = null
  const sent = (reply: Reply, fromMs: number) => {
    const ms = reply.exchange.sent.target - fromMs
    if (ms > Math.max(lateMs, late?.ms ?? 0)) late = { ms, reply }
    return reply
  }
  for (let count = 1; count <= podsTried; count++) {
    const { id } = await fixture.pod(status)
    const fromMs = clock.now()
    const before = sent(await pods.get(id), fromMs)
    const pod = podOf(before.json, before.exchange.n)
    if (pod?.status !== status) continue
    const reply = sent(await pods.act(id, action), before.exchange.received.target)
    const acted = { pod, before, reply }
    if (isOutage(reply)) {
      outages.push({ ...acted, reply: lasting(reply) })
      await clock.sleep(outageMs)
      continue
    }
    if (!transient.has(status) || (await isSound(context, acted, action))) return acted
    if (action === 'restart' && reply.status === 200) restarted.push(acted)
  }
  // Reads were answered meanwhile.
  const [out] = outages.length === podsTried ? outages : []
  if (out !== undefined) return out
  const last = restarted.at(-1)
  if (last !== undefined && restarted.length === podsTried && (await lasts(context, status, restarted))) return last
  const advice = transient.has(status) ? `; ${late === null ? unseenHint(status) : lateText(late)}` : ''
  context.inconclusive(`none of ${podsTried} pods was still in ${status} when it was asked to ${action}${advice}`)
}

function lateText({ ms, reply }: { readonly ms: number; readonly reply: Reply }): string {
  return `for ${quotaIn(reply)} a call was sent ${lengthOf(ms)} late`
}

/** True if a pod that is left alone is still in the status after as long as the calls took: they were not too late. */
async function lasts({ clock, fixture, pods }: Context, status: PodStatus, calls: readonly Acted[]): Promise<boolean> {
  const took = calls.map(({ before, reply }) => reply.exchange.received.target - before.exchange.sent.target)
  const { id } = await fixture.pod(status)
  await clock.sleep(Math.max(...took))
  return podOf((await pods.get(id)).json, 0)?.status === status
}

/** True if a response can be attributed to the status that the pod was in before the call. */
async function isSound(
  { pods, stoodStill }: Context,
  { pod, before, reply }: Acted,
  action: PodAction,
): Promise<boolean> {
  if (stoodStill(before, reply)) return true
  const { answer, from } = tables.transitions[action]
  const after = podOf((await pods.get(pod.id)).json, 0)?.status
  // Permitted from here to RUNNING: a good answer is good in each status, a bad one is bad if the last permits it too.
  if (from.some((permitting) => permitting === pod.status)) {
    return reply.status === answer || from.some((permitting) => permitting === after)
  }
  // No status on the way to RUNNING permits start, so an answer other than 409 is wrong in all of them.
  if (action === 'start') return after === pod.status || reply.status !== 409
  // RUNNING permits restart, after which the pod may be seen in the same status once more.
  return after === pod.status && reply.status !== 200
}

/** The pod gets to where the action leads, and stays there; for TERMINATED, being gone is as good. */
async function becomes(context: Context, pod: PodView, action: PodAction): Promise<void> {
  const { check, clock, settle, target } = context
  const status = tables.transitions[action].to
  const { settleMs, visibleMs } = target.tolerances
  const expectThere = async (clause: Check, boundMs: number) => {
    const { reply, ...rest } = await settle(pod.id, (seen) => seen === status || gone.has(seen), boundMs)
    if (status === 'TERMINATED') return expectTerminated(clause, reply)
    if (status === 'RUNNING' && rest.status === 'PROVISIONING') await inconclusiveIfScarce(context, pod)
    clause.status(reply, 200)
    clause.that(rest.status === status, `status ${status}`, `status ${rest.status}`, reply)
  }
  if (action === 'restart') await clock.sleep(restartBeginsMs)
  await expectThere(check(`becomes-${status.toLowerCase()}`), settleMs)
  // pods.action.terminate-is-final looks again at pods that were terminated.
  if (status === 'TERMINATED') return
  for await (const _ of looksLater(context)) {
    // A restart may be carried out late; nothing starts a stopped pod.
    await expectThere(check(`stays-${status.toLowerCase()}`), status === 'RUNNING' ? settleMs : visibleMs)
  }
}
