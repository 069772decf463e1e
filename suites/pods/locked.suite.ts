import type { PodAction } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type PodView, show } from '../../harness/exchange/read.ts'
import { inconclusiveIfNoCapacity } from '../../harness/planes/pods/access.ts'
import { type Check, inconclusiveIfOutage, isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { NotApplicable } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod, aPod } from '../../harness/variation/dimensions.ts'
import { shown } from '../shared/patching.ts'
import { poll } from '../shared/poll.ts'
import { expectRefusal } from '../shared/refusal.ts'
import { blockIfStatusNeverLasts, expectUnchanged } from '../shared/unchanged.ts'
import { retryWhileScarce } from './answers.ts'
import { expectRestarted, runMs, startsOver } from './restarted.ts'

/** The statuses in which a pod is when it is locked; it may leave the last two by itself. */
const lockedIn = ['RUNNING', 'PROVISIONING', 'STARTING'] as const

rule(
  'pods.action.locked-stop',
  { each: () => lockedIn, varies: [...anyPod, 'branch'] },
  async (context, wanted: (typeof lockedIn)[number]) => {
    const { as, check, inconclusive, notJudged, part, pods, settle } = context
    const pod = wanted === 'RUNNING' ? await lockedPod(context) : await lockedOnItsWay(context, wanted)
    if (typeof pod === 'string') return notJudged(wanted, pod)
    const response = await pods.act(pod.id, 'stop', { mustBeRefused: true })
    expectRefusal(context, 'refused', response)
    if (wanted === 'RUNNING') {
      await expectUnchanged(context, pod)
      // A refusal must not use up the lock.
      expectRefusal(context, 'refused', await pods.act(pod.id, 'stop', { mustBeRefused: true }))
      // A lock is on the pod, not on the key that set it.
      if (part('key.second'))
        expectRefusal(context, 'refused', await as('second').act(pod.id, 'stop', { mustBeRefused: true }))
    } else {
      const rest = await settle(pod.id, (seen) => seen !== 'PROVISIONING' && seen !== 'STARTING')
      const isStopped = rest.status === 'EXITED'
      if (rest.status === 'gone') inconclusive('the pod was gone, though it was not removed')
      // A pod may also exit by itself.
      if (isStopped) await blockIfStatusNeverLasts(context, { ...pod, status: 'RUNNING' }, 'fresh')
      check('goes-on').that(!isStopped, 'a pod that goes on to RUNNING', `status ${rest.status}`, rest.response)
    }
    await expectUnlocked(context, pod.id, 'stop')
  },
)

/** A pod that is locked on its way to RUNNING; if a PATCH does not do that there, why there is none. */
async function lockedOnItsWay(context: Context, wanted: 'PROVISIONING' | 'STARTING'): Promise<PodView | string> {
  const { fixture, pods, settle, target } = context
  const { id } = await fixture.fresh()
  if (wanted === 'STARTING') await settle(id, (seen) => seen !== 'PROVISIONING')
  const { status } = await pods.patch(id, target.pods?.locked?.lock)
  if (!isSuccess(status)) return 'the PATCH that locks a pod was refused'
  const { pod, settled } = await shown(context, id, ({ value }) => value.locked === true)
  if (!settled || pod === null) return 'the PATCH that locks a pod was not carried out'
  return pod.status === wanted ? pod : 'the pod had another status once it was locked'
}

rule('pods.action.locked-start', { varies: aPod }, async (context) => {
  const { check, pods, settleStarted } = context
  const pod = await lockedPod(context, 'EXITED')
  const response = await retryWhileScarce(context, pod, () => pods.act(pod.id, 'start'))
  inconclusiveIfNoCapacity(context, response)
  // A pod that cannot be started without its lock either says nothing about the lock.
  if (!isSuccess(response.status)) await expectUnlocked(context, pod.id, 'start')
  check('answered').status(response, 200)
  const rest = await settleStarted(pod.id)
  check('becomes-running').that(rest.status === 'RUNNING', 'status RUNNING', `status ${rest.status}`, rest.response)
  const { locked } = rest.pod?.value ?? {}
  check('locked').that(locked === true, 'locked true, as before', `locked ${show(locked)}`, rest.response)
})

rule('pods.action.locked-reset', { varies: aPod }, async (context) => {
  const { check, clock, pods, reading } = context
  const { id } = await lockedPod(context)
  await clock.sleep(runMs)
  const running = await pods.get(id)
  const before = check('answered').pod(running)
  const response = await pods.act(id, 'restart')
  reading('status', String(response.status))
  expectDoneOrRefused(check('answered'), response, 200)
  if (isSuccess(response.status)) return void (await expectRestarted(context, before, response))
  const expectRunsOn = async () => {
    const later = await pods.get(id)
    const runsOn = !startsOver(running, later)
    check('runs-on').that(runsOn, 'a container that runs on', 'a container that began anew', later)
  }
  await expectRunsOn()
  await expectUnchanged(context, before)
  await expectRunsOn()
  await expectUnlocked(context, id, 'restart')
})

rule('pods.action.locked-terminate', { varies: aPod }, async (context) => {
  const { check, pods, reading } = context
  const pod = await lockedPod(context)
  const { actions } = pod.value
  reading('actions', Array.isArray(actions) ? [...actions].sort().join(' ') : show(actions))
  const response = await pods.act(pod.id, 'terminate')
  reading('status', String(response.status))
  expectDoneOrRefused(check('answered'), response, 204)
  if (isSuccess(response.status)) return
  await expectUnchanged(context, pod)
  await expectUnlocked(context, pod.id, 'terminate')
})

/** A pod in this status that shows that it is locked. */
async function lockedPod(context: Context, wanted: 'RUNNING' | 'EXITED' = 'RUNNING'): Promise<PodView> {
  const { fixture, inconclusive, pods, settleStarted, target } = context
  const { id } = await fixture.pod(wanted)
  const patch = await pods.patch(id, target.pods?.locked?.lock)
  if (wanted === 'EXITED' && isRefusal(patch)) {
    throw new NotApplicable(`the PATCH that locks a pod is answered ${patch.status} while it is EXITED`)
  }
  const { pod: locked } = await shown(context, id, ({ value }) => value.locked === true)
  // A PATCH may restart the container.
  const isBegun = wanted === 'RUNNING' && locked !== null && locked.status !== 'RUNNING'
  const pod = isBegun ? (await settleStarted(id)).pod : locked
  if (pod?.value.locked !== true || pod.status !== wanted)
    return inconclusive(
      `the PATCH that locks a pod was answered ${patch.status}, and no ${wanted} pod shows locked true`,
    )
  return pod
}

/** The status is that of a success, or a refusal with 4xx. */
function expectDoneOrRefused(check: Check, response: ApiResponse, success: number): void {
  inconclusiveIfOutage(response)
  const { status } = response
  check.that(status === success || isRefusal(response), `status ${success}, or 4xx`, `status ${status}`, response)
}

/**
 * Unlocks a pod and asks for an action, until it succeeds or the change has had its time. Ends the rule as inconclusive if it
 * never succeeds: the action was not refused because of the lock.
 */
async function expectUnlocked(context: Context, id: string, action: PodAction): Promise<void> {
  const { inconclusive, pods, target } = context
  await pods.patch(id, target.pods?.locked?.unlock)
  const isDone = ({ status }: ApiResponse) => isSuccess(status)
  const { status } = await poll(context, target.tolerances.visibleMs, () => pods.act(id, action), isDone)
  if (!isSuccess(status)) inconclusive(`${action} was answered ${status} after the pod was unlocked too`)
}
