import type { RuleId } from '../../generated/rules.ts'
import { podActions } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess, mediaTypeOf } from '../../harness/exchange/exchange.ts'
import {
  changedFields,
  fieldsText,
  type Members,
  membersOf,
  type PodView,
  podOf,
  show,
} from '../../harness/exchange/read.ts'
import { nameOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { inconclusiveIfOutage } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { Blocked } from '../../harness/rule/outcome.ts'
import { everyExchange, rule } from '../../harness/rule/registry.ts'
import { anyPod, aPod } from '../../harness/variation/dimensions.ts'
import { expectUnlisted } from '../shared/listing.ts'
import { kindOfValue } from '../shared/readers.ts'
import { judged } from '../shared/shapes.ts'
import { laterPodReads } from '../shared/unchanged.ts'
import {
  bodyTraces,
  expectAccepted,
  expectTerminated,
  inconclusiveIfOtherReason,
  retryWhileScarce,
  stopPod,
} from './answers.ts'
import { isPart } from './creation.ts'

/** Members of a pod that an action does not change. */
const keptMembers: ReadonlySet<string> = new Set(['disk', 'mounts', 'image', 'env', 'gpu', 'cpu'])

rule('pods.action.error.start-leaves', { varies: aPod }, async (context) => {
  const { pods, fixture, check, settle, blocked, inconclusive } = context
  const pod = await fixture.pod('ERROR')
  const isMended = await mend(context, pod.id)
  const response = await retryWhileScarce(context, pod, () => pods.act(pod.id, 'start'))
  if (response.status >= 300) blocked('pods.action.error.start', `start was answered ${response.status}`)
  const rest = await settle(pod.id, (_, seen) => seen !== null && seen.status !== 'ERROR')
  if (!rest.settled && !isMended) inconclusive('what sent the pod into ERROR may have done so again at once')
  check('left').that(rest.settled, 'another status than ERROR', `status ${rest.status}`, rest.response)
})

/** Moments after a pod became RUNNING, ms: other rules watch theirs for as long. */
const runningMs = [1_000, 10_000, 30_000, 60_000, 120_000]

rule('pods.status.running-lasts', { varies: ['kind', 'mount'] }, async ({ check, clock, fixture, pods }) => {
  const { id } = await fixture.pod('RUNNING')
  const sinceMs = clock.now()
  for (const ms of runningMs) {
    await clock.at(sinceMs + ms)
    const response = await pods.get(id)
    check('stays').status(response, 200)
    const { status } = check('stays').pod(response)
    check('stays').that(status === 'RUNNING', 'status RUNNING', `status ${status}`, response)
  }
})

rule('pods.action.terminated.any', { varies: [...anyPod, 'removal'] }, async (context) => {
  const { pods, fixture, check, reading } = context
  const { id } = await fixture.pod('TERMINATED')
  const shown = membersOf((await pods.get(id)).json)
  // What TERMINATED permits is not described: who shows such a pod may let it be terminated again, to no effect.
  const again = shown?.status === 'TERMINATED' && Array.isArray(shown.actions) && shown.actions.includes('terminate')
  for (const action of podActions) {
    const response = await pods.act(id, action)
    check('refused').status(response, 404, 409, ...(again && action === 'terminate' ? [204] : []))
    reading(action, String(response.status))
  }
  // Any status but that of an internal error: the description does not show the call.
  const deleted = await pods.delete(id)
  inconclusiveIfOutage(deleted)
  check('deleted').that(deleted.status < 500, 'a success or a status 4XX', `status ${deleted.status}`, deleted)
  for await (const response of laterPodReads(context, id)) expectTerminated(check('stays-terminated'), response)
  await expectAccepted(context, await fixture.pod('RUNNING'))
})

rule('pods.action.unknown-pod', { varies: anyPod }, async (context) => {
  const { pods, fixture, check } = context
  const gone = await fixture.gone()
  for (const action of podActions) {
    const response = await pods.act(gone.id, action, { mustBeRefused: true })
    inconclusiveIfOtherReason(context, gone, response)
    check('not-found').status(response, 404)
  }
  await expectAccepted(context, await fixture.pod('RUNNING'))
})

rule(
  'pods.action.stop-frees-compute',
  {
    each: ({ part }) => freed.filter(({ need }) => part(need)).map(({ shape }) => shape),
    varies: [...anyPod, 'branch'],
  },
  stopFrees,
)

/** When terminated pods are looked at again, ms: later than most starts take, so that none is carried out any more. */
const finalMs = [1_000, 3_000, 5_000, 40_000]

/** A way to remove a pod, and the rule about it. */
type Way = readonly [by: RuleId, way: () => Promise<ApiResponse>]

rule('pods.action.terminate-is-final', { varies: [...anyPod, 'removal'] }, async (context) => {
  const { pods, fixture, check, clock, rereadDelays, settle, blocked } = context
  const settled = await fixture.pod('TERMINATED')
  // A pod that is on its way to RUNNING has steps of its life ahead of it, and none of them may happen any more.
  const young = await fixture.fresh()
  await removed(young.id, ['pods.action.provisioning.terminate', () => pods.act(young.id, 'terminate')])
  const { id } = await fixture.fresh()
  await settle(id, (status) => status !== 'PROVISIONING')
  const terminates: Way = ['pods.action.starting.terminate', () => pods.act(id, 'terminate')]
  await removed(id, ['pods.delete', () => pods.delete(id)], terminates)
  const sinceMs = clock.now()
  for (const ms of [...new Set([...finalMs, ...rereadDelays()])].sort((a, b) => a - b)) {
    await clock.at(sinceMs + ms)
    expectTerminated(check('settled'), await pods.get(settled.id))
    expectTerminated(check('on-its-way'), await pods.get(young.id))
    expectTerminated(check('starting'), await pods.get(id))
  }
  await expectUnlisted(context, 'on-its-way', young.id)
  await expectUnlisted(context, 'starting', id)

  /** Removes a pod in a way, or in the other one if that is refused. */
  async function removed(id: string, [by, way]: Way, otherwise?: Way): Promise<void> {
    const { status } = await way()
    if (!isSuccess(status) && otherwise !== undefined) return removed(id, otherwise)
    if (!isSuccess(status)) blocked(by, `the removal was answered ${status}`)
    const rest = await settle(id, (seen) => seen === 'gone' || seen === 'TERMINATED')
    if (!rest.settled) blocked(by, 'the pod was not terminated in time')
  }
})

everyExchange('pods.action.content-type', ({ operation, response }) => {
  if (operation !== 'triggerPodAction' || response === null) return null
  if (response.status === 200) {
    const type = mediaTypeOf(response.headers)
    return judged('json', type === 'application/json', 'application/json', type ?? 'no Content-Type')
  }
  if (response.status !== 204) return null
  const traces = bodyTraces(response)
  return judged('no-body', traces === null, 'no body', traces ?? 'no body')
})

/** Patches the image if it alone causes ERROR in the recipe. Resolves with true if PATCH succeeds. */
async function mend({ pods, target }: Context, id: string): Promise<boolean> {
  const { body = {}, actions = [], hook = null } = target.pods?.recipes.ERROR ?? {}
  if (actions.length > 0 || hook !== null || Object.keys(body).join() !== 'image') return false
  return (await pods.patch(id, { image: target.pods?.image })).status < 300
}

/** Shapes of pods that hold compute, each with what it needs. */
const freed: readonly { readonly need: string; readonly shape: PodShape }[] = [
  { need: 'pods.gpu', shape: { kind: 'gpu' } },
  { need: 'pods.persistent', shape: { kind: 'gpu', mount: 'persistent' } },
  { need: 'volume', shape: { mount: 'network' } },
  { need: 'pods.cpu', shape: { kind: 'cpu' } },
]

/** Stops a pod of this shape: it costs nothing any more, and has all that was chosen for it. */
async function stopFrees(context: Context, shape: PodShape): Promise<void> {
  const { check, fixture, target } = context
  const env = { ...membersOf(target.pods?.extra.env), PLUMBLINE: 'kept' }
  const before = await fixture.pod('RUNNING', { ...shape, more: { env } })
  const { id } = before
  // A stop in the history of the pod must not have taken its mount.
  const isMounted = shape.mount === undefined || shape.mount in (membersOf(before.value.mounts) ?? {})
  check('kept').that(isMounted, `a mount ${shape.mount}`, `mounts ${show(before.value.mounts)}`, before)
  expectFreed(check, await stopPod(context, id), before, env)
  for await (const later of laterPodReads(context, id)) {
    const pod = podOf(later.json, later.exchange.n)
    if (pod?.status !== 'EXITED') throw new Blocked(nameOf('EXITED', target, shape), 'the pod did not stay EXITED')
    expectFreed(check, pod, before, env)
  }
}

/** `env`: the variables that the pod was created with; a platform may add others while the pod runs. */
function expectFreed(check: Context['check'], pod: PodView, before: PodView, env: Members): void {
  check('cost').that(pod.value.cost === 0, 'cost 0', `cost ${show(pod.value.cost)}`, pod)
  check('runtime').that(pod.value.runtime === null, 'runtime null', `runtime ${kindOfValue(pod.value.runtime)}`, pod)
  const changed = changedFields(before.value, pod.value).filter((name) =>
    name === 'env' ? !isPart(env, membersOf(pod.value.env) ?? {}) : keptMembers.has(name),
  )
  const texts = ({ value }: PodView) => fieldsText(value, changed)
  check('kept').that(changed.length === 0, texts(before), texts(pod), pod)
}
