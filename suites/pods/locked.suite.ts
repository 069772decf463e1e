import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { membersOf, type PodView, show } from '../../harness/exchange/read.ts'
import { type Check, inconclusiveIfOutage, isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { aPod } from '../../harness/variation/dimensions.ts'
import { expectRefusal } from '../shared/job-responses.ts'
import { shown } from '../shared/patching.ts'
import { poll } from '../shared/poll.ts'
import { expectUnchanged } from '../shared/unchanged.ts'
import { expectRestarted, runMs, startsOver } from './restarted.ts'

rule('pods.action.locked-stop', { varies: aPod }, async (context) => {
  const { pods } = context
  const pod = await lockedPod(context)
  const response = await pods.act(pod.id, 'stop', { mustBeRefused: true })
  expectRefusal(context, 'refused', response)
  await expectUnchanged(context, pod)
  await requireStop(context, pod.id)
})

rule('pods.action.locked-reset', { varies: aPod }, async (context) => {
  const { check, clock, pods, reading } = context
  const { id } = await lockedPod(context)
  await clock.sleep(runMs)
  const before = check('answered').pod(await pods.get(id))
  const response = await pods.act(id, 'restart')
  reading('status', String(response.status))
  expectDoneOrRefused(check('answered'), response, 200)
  if (isSuccess(response.status)) return void (await expectRestarted(context, before, response))
  const expectRunsOn = async () => {
    const later = await pods.get(id)
    const runsOn = !startsOver(before.value, membersOf(later.json))
    check('runs-on').that(runsOn, 'a container that runs on', 'a container that began anew', later)
  }
  await expectRunsOn()
  await expectUnchanged(context, before)
  await expectRunsOn()
})

rule('pods.action.locked-terminate', { varies: aPod }, async (context) => {
  const { check, pods, reading } = context
  const pod = await lockedPod(context)
  const { actions } = pod.value
  reading('actions', Array.isArray(actions) ? [...actions].sort().join(' ') : show(actions))
  const response = await pods.act(pod.id, 'terminate')
  reading('status', String(response.status))
  expectDoneOrRefused(check('answered'), response, 204)
  if (!isSuccess(response.status)) await expectUnchanged(context, pod)
})

/** A RUNNING pod that shows that it is locked. */
async function lockedPod(context: Context): Promise<PodView> {
  const { fixture, inconclusive, pods, target } = context
  const { id } = await fixture.pod('RUNNING')
  const { status } = await pods.patch(id, target.pods?.locked?.lock)
  const { pod } = await shown(context, id, ({ value }) => value.locked === true)
  if (pod?.value.locked !== true || pod.status !== 'RUNNING')
    return inconclusive(`the PATCH that locks a pod was answered ${status}, and no RUNNING pod shows locked true`)
  return pod
}

/** The status is that of a success, or a refusal with 4xx. */
function expectDoneOrRefused(check: Check, response: ApiResponse, success: number): void {
  inconclusiveIfOutage(response)
  const { status } = response
  check.that(status === success || isRefusal(response), `status ${success}, or 4xx`, `status ${status}`, response)
}

/** Ends the rule as inconclusive if stop of the pod is refused once it is unlocked too: then its lock was not the reason. */
async function requireStop(context: Context, id: string): Promise<void> {
  const { inconclusive, pods, target } = context
  await pods.patch(id, target.pods?.locked?.unlock)
  const stop = () => pods.act(id, 'stop')
  const { status } = await poll(context, target.tolerances.visibleMs, stop, (response) => isSuccess(response.status))
  if (!isSuccess(status)) inconclusive(`stop was answered ${status} after the pod was unlocked too`)
}
