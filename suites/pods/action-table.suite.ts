import { type PodAction, podActions, tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { deliberate, outagePausesMs } from '../../harness/client/retry.ts'
import { lengthOf } from '../../harness/common/length.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type PodView, podOf } from '../../harness/exchange/read.ts'
import { restartBeginsMs } from '../../harness/planes/pods/fixtures/history.ts'
import { unseenHint } from '../../harness/planes/pods/fixtures/pods.ts'
import { delayIn } from '../../harness/planes/pods/pod-times.ts'
import { type Check, isOutage, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod, aPod } from '../../harness/variation/dimensions.ts'
import type { PodStatus } from '../../target/types.ts'
import { expectListedAs, expectUnlisted } from '../shared/listing.ts'
import { untilFound } from '../shared/poll.ts'
import { blockIfStatusNeverLasts, expectUnchanged, laterPodReads, rereadMoments } from '../shared/unchanged.ts'
import { expectFullPod, expectNoBody, expectTerminated, inconclusiveIfScarce, retryWhileScarce } from './answers.ts'
import { startsOver, stopToSeeLag } from './restarted.ts'

/** Statuses that a pod leaves by itself; a call may find the next one. */
const transient: ReadonlySet<PodStatus> = new Set(['PROVISIONING', 'STARTING'])
/** Statuses of pods that may have a history. */
const settled: ReadonlySet<PodStatus> = new Set(['RUNNING', 'EXITED'])
const gone: ReadonlySet<string> = new Set(['TERMINATED', 'gone'])
/** Statuses that a pod on its way to RUNNING never reaches by itself. */
const ended: ReadonlySet<string> = new Set(['EXITED', ...gone])
const final: ReadonlySet<string> = new Set(['RUNNING', 'ERROR', ...ended])
const podsTried = 4
/** A call that is sent later than this was held up by a quota, ms. */
const lateMs = 1_000

// Registers `pods.action.<status>.<action>`, such as `pods.action.exited.stop`.
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
  const { pod, response: first } = await actIn(context, status, action)
  const response = context.lacksCapacity(first)
    ? await retryWhileScarce(context, pod, () => pods.act(pod.id, action))
    : first
  expectAnswered(context, response, action)
  if (action === 'terminate') expectNoBody(check('no-body'), response)
  else expectFullPod(check('full-pod'), response)
  if (status === 'ERROR' && action === 'start') return againInError(context, pod)
  await expectReached(context, pod, action)
  if (settled.has(status)) await again(context, pod, status, action)
}

/** The action that brings a pod back to where another one found it; a restarted pod is there already. */
const back: Readonly<Partial<Record<PodAction, PodAction>>> = { start: 'stop', stop: 'start' }

/** Takes an action a second time, once its pod is back in the status, if it comes back there. */
async function again(context: Context, { id }: PodView, status: PodStatus, action: PodAction): Promise<void> {
  const { notJudged, pods, settle } = context
  if (action === 'terminate') return
  const way = back[action]
  if (way !== undefined && !isSuccess((await pods.act(id, way)).status)) return notJudged('again', `${way} was refused`)
  const { pod } = await settle(id, (seen) => seen === status)
  if (pod?.status !== status) return notJudged('again', `the pod did not become ${status} again`)
  if (!(await actsAgain(context, pod, status, action))) return
  await expectReached(context, pod, action)
  // A pod that was started more than once is EXITED once more, as the rules about every pod have it.
  if (way === 'stop' && isSuccess((await pods.act(id, way)).status)) await settle(id, (seen) => seen === status)
}

/** Starts a pod a second time if it is in ERROR again. Only pods.action.error.start-leaves judges where a start leads. */
async function againInError(context: Context, { id }: PodView): Promise<void> {
  const { clock, notJudged, settle, target } = context
  // Until then a read may show the pod as it was before the start.
  await clock.sleep(target.tolerances.visibleMs)
  const { pod } = await settle(id, (seen) => final.has(seen))
  if (pod?.status !== 'ERROR') return notJudged('again', 'the pod did not become ERROR again')
  await actsAgain(context, pod, 'ERROR', 'start')
}

/** Takes an action with a pod that is back in the status. False if it is not judged, because the pod left the status by itself. */
async function actsAgain(context: Context, pod: PodView, status: PodStatus, action: PodAction): Promise<boolean> {
  const { notJudged, pods } = context
  const response = await retryWhileScarce(context, pod, () => actOnceMore(context, pod.id, action))
  const hasLeft = response.status === 409 && podOf((await pods.get(pod.id)).json, 0)?.status !== status
  if (hasLeft) notJudged('again', `the pod left ${status} by itself`)
  else expectAnswered(context, response, action)
  return !hasLeft
}

/** Statuses of a key that lacks a permission, or access to a pod. */
const unpermitted: ReadonlySet<number> = new Set([401, 403, 404])

/** Takes an action with another key of the account: pods are of the account. With the first one if the other lacks access. */
async function actOnceMore({ as, part, pods }: Context, id: string, action: PodAction): Promise<ApiResponse> {
  const response = part('key.second') ? await as('second').act(id, action) : null
  return response === null || unpermitted.has(response.status) ? pods.act(id, action) : response
}

/** The status of the table, or a lack of capacity that a new pod of the kind disproves. */
function expectAnswered({ check, lacksCapacity }: Context, response: ApiResponse, action: PodAction): void {
  const { answer } = tables.transitions[action]
  const expected = `status ${answer}, because a new pod of the same kind can be created`
  check('answered').that(!lacksCapacity(response), expected, responseText(response), response)
  check('answered').status(response, answer)
}

async function refused(context: Context, status: PodStatus, action: PodAction): Promise<void> {
  const { check, stoodStill } = context
  const { pod, before, response } = await actIn(context, status, action)
  if (action === 'restart' && transient.has(status) && isSuccess(response.status)) await stopToSeeLag(context, pod.id)
  check('refused').status(response, 409)
  if (!transient.has(status)) {
    await expectUnchanged(context, pod)
    check('refused').status(await context.pods.act(pod.id, action), 409)
    check('refused').status(await actOnceMore(context, pod.id, action), 409)
    check('unchanged').sameAs(await context.pods.get(pod.id), pod)
    return
  }
  const after = await context.pods.get(pod.id)
  if (stoodStill(before, after)) check('unchanged').sameAs(after, pod)
  let rest = await context.settle(pod.id, (seen) => final.has(seen))
  if (!rest.settled) {
    // Ends the rule if a new pod does not become RUNNING either. The first one may have lacked capacity until now.
    await context.fixture.pod('RUNNING')
    rest = await context.settle(pod.id, (seen) => final.has(seen))
  }
  check('goes-on').that(
    rest.settled && !ended.has(rest.status),
    'a pod that goes on to RUNNING',
    `status ${rest.status}`,
    rest.response,
  )
  if (action === 'restart' && rest.status === 'RUNNING') await expectNotRestarted(context, pod, rest.response)
  // Where time moves, the pod may be RUNNING by then.
  if (status === 'STARTING' && rest.status === 'RUNNING' && stoodStill(before, after)) {
    for (const way of waysToStarting) await refusedOnceMore(context, pod, way, action)
  }
}

/** A restart that was refused on the way to RUNNING is not carried out later. */
async function expectNotRestarted(context: Context, pod: PodView, running: ApiResponse): Promise<void> {
  for await (const later of laterPodReads(context, pod.id)) {
    const isAgain = startsOver(running, later)
    if (isAgain) await blockIfStatusNeverLasts(context, { ...pod, status: 'RUNNING' }, 'fresh')
    context.check('goes-on').that(!isAgain, 'no restart', 'a restart after the refused one', later)
  }
}

/** Actions that may lead a RUNNING pod through STARTING. */
const waysToStarting: readonly (readonly PodAction[])[] = [['restart'], ['stop', 'start']]

/** Sends a refused action to a pod that other actions brought to STARTING, if it is seen there while time stands still. */
async function refusedOnceMore(
  context: Context,
  { id }: PodView,
  way: readonly PodAction[],
  action: PodAction,
): Promise<void> {
  const { check, notJudged, pods, settle, stoodStill } = context
  const history = `after ${way.join(' and ')}`
  for (const step of way) {
    if (!isSuccess((await pods.act(id, step)).status)) return notJudged(history, `${step} was refused`)
    if (step === 'stop' && !(await settle(id, (seen) => seen === 'EXITED')).settled)
      return notJudged(history, 'the stopped pod did not become EXITED')
  }
  const last = await settle(
    id,
    (seen) => seen === 'STARTING' || seen === 'RUNNING' || seen === 'ERROR' || gone.has(seen),
  )
  // The description does not say that a pod is STARTING on its way.
  if (last.status === 'RUNNING') return
  if (last.status !== 'STARTING') return notJudged(history, `the pod was ${last.status}`)
  const response = await pods.act(id, action)
  if (stoodStill(last.response, response)) check('refused').status(response, 409)
  else notJudged(history, 'the pod may have left STARTING before the call')
  if (action === 'start' && way.includes('stop') && stoodStill(last.response, response))
    await expectStopped(context, id)
  else await settle(id, (seen) => final.has(seen))
}

/** A pod that was started again is stopped while it is STARTING, and is EXITED from then on. */
async function expectStopped(context: Context, id: string): Promise<void> {
  const { check, clock, notJudged, pods, lastRereadMs, settle } = context
  check('stopped').status(await pods.act(id, 'stop'), 200)
  // What was under way to RUNNING is over by then.
  await clock.sleep(lastRereadMs())
  const { response, status } = await settle(id, (seen) => seen === 'EXITED' || gone.has(seen))
  if (gone.has(status)) return notJudged('stopped', 'the pod was gone')
  check('stopped').that(status === 'EXITED', 'status EXITED', `status ${status}`, response)
}

interface Acted {
  /** As read in the status, just before the call. */
  readonly pod: PodView
  readonly before: ApiResponse
  readonly response: ApiResponse
}

/**
 * Sends an action to a new pod in a status. Takes another pod if the status was left, or may have been, or if a gateway
 * answered. A 200 to restart may mean that the pod had become RUNNING; it counts if all pods answer so and the status lasts.
 */
async function actIn(context: Context, status: PodStatus, action: PodAction): Promise<Acted> {
  const { clock, fixture, pods } = context
  const restarted: Acted[] = []
  const outages: Acted[] = []
  let late: { readonly ms: number; readonly response: ApiResponse } | null = null
  const sent = (response: ApiResponse, fromMs: number) => {
    const ms = response.exchange.sent.target - fromMs
    if (ms > Math.max(lateMs, late?.ms ?? 0)) late = { ms, response }
    return response
  }
  for (let count = 1; count <= podsTried; count++) {
    const { id } = await fixture.pod(status)
    const fromMs = clock.now()
    const before = sent(await untilFound(context, () => pods.get(id)), fromMs)
    const pod = podOf(before.json, before.exchange.n)
    if (pod?.status !== status) continue
    const response = sent(await pods.act(id, action), before.exchange.received.target)
    const acted = { pod, before, response }
    if (isOutage(response)) {
      outages.push({ ...acted, response: deliberate(response) })
      await clock.sleep(outagePausesMs[outages.length - 1] ?? 0)
      continue
    }
    if (!transient.has(status) || (await isSound(context, acted, action))) return acted
    if (action === 'restart' && response.status === 200) restarted.push(acted)
  }
  // Reads worked meanwhile, so this is the API's own response, not an outage.
  const [out] = outages.length === podsTried ? outages : []
  if (out !== undefined) return out
  const last = restarted.at(-1)
  if (last !== undefined && restarted.length === podsTried) {
    const isLasting = await leaveAlone(context, status, restarted)
    if (isLasting) return last
  }
  const advice = transient.has(status) ? `; ${late === null ? unseenHint(status) : lateText(context, late)}` : ''
  const others = outages.length === 0 ? '' : `, but for ${outages.length} for which a gateway answered`
  context.inconclusive(
    `none of ${podsTried} pods was still in ${status} when it was asked to ${action}${others}${advice}`,
  )
}

function lateText(
  { target }: Context,
  { ms, response }: { readonly ms: number; readonly response: ApiResponse },
): string {
  return `a call was sent ${lengthOf(ms)} late because of ${delayIn(response, target.tolerances)}`
}

/** Leaves a new pod alone for as long as the calls took. True if it is still in the status: they were not too late. */
async function leaveAlone(
  { clock, fixture, pods }: Context,
  status: PodStatus,
  calls: readonly Acted[],
): Promise<boolean> {
  const took = calls.map(({ before, response }) => response.exchange.received.target - before.exchange.sent.target)
  const { id } = await fixture.pod(status)
  await clock.sleep(Math.max(...took))
  return podOf((await pods.get(id)).json, 0)?.status === status
}

/** True if a response can be attributed to the status that the pod was in before the call. */
async function isSound(
  { pods, stoodStill }: Context,
  { pod, before, response }: Acted,
  action: PodAction,
): Promise<boolean> {
  if (stoodStill(before, response)) return true
  const { from } = tables.transitions[action]
  const after = podOf((await pods.get(pod.id)).json, 0)?.status
  // Permitted here and on the way to RUNNING, so a success is never too late. A refusal is wrong only if the later status
  // permits the action too.
  if (from.some((permitting) => permitting === pod.status)) {
    return isSuccess(response.status) || from.some((permitting) => permitting === after)
  }
  // No status on the way to RUNNING permits start, so a response other than 409 is wrong in all of them.
  if (action === 'start') return after === pod.status || response.status !== 409
  // RUNNING permits restart, after which the pod may be seen in the same status once more.
  return after === pod.status && response.status !== 200
}

/** Expects that the pod reaches the status that the action leads to and keeps it; a terminated pod may be gone. */
async function expectReached(context: Context, pod: PodView, action: PodAction): Promise<void> {
  const { check, clock, settle, target } = context
  const status = tables.transitions[action].to
  const { settleMs, visibleMs } = target.tolerances
  const expectThere = async (clause: Check, boundMs: number) => {
    const { response, ...rest } = await settle(pod.id, (seen) => seen === status || gone.has(seen), boundMs)
    if (status === 'TERMINATED') {
      expectTerminated(clause, response)
      return rest.pod
    }
    if (status === 'RUNNING' && rest.status === 'PROVISIONING') await inconclusiveIfScarce(context, pod)
    if (status === 'RUNNING' && rest.status === 'EXITED')
      await blockIfStatusNeverLasts(context, { ...pod, status }, 'fresh')
    clause.status(response, 200)
    clause.that(rest.status === status, `status ${status}`, `status ${rest.status}`, response)
    return rest.pod
  }
  if (action === 'restart') await clock.sleep(restartBeginsMs)
  const becomes = `becomes-${status.toLowerCase()}`
  let last = await expectThere(check(becomes), settleMs)
  // pods.action.terminate-is-final looks again at pods that were terminated.
  if (status === 'TERMINATED') return expectUnlisted(context, becomes, pod.id)
  for await (const _ of rereadMoments(context)) {
    // A restart may be carried out late; nothing starts a stopped pod.
    last = await expectThere(check(`stays-${status.toLowerCase()}`), status === 'RUNNING' ? settleMs : visibleMs)
  }
  if (last !== null) await expectListedAs(context, becomes, last)
}
