import { podRequired } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { changedFields, fieldsText, type Members, type PodView, show } from '../../harness/exchange/read.ts'
import type { Settled } from '../../harness/planes/pods/access.ts'
import { changeOf, shows } from '../../harness/planes/pods/fixtures/change.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { afterwards, changed, changeFields, changes } from '../shared/changing.ts'
import { expectListedAs } from '../shared/listing.ts'
import {
  isMounted,
  mountIn,
  mountStates,
  mountsMoved,
  movedPersistent,
  movedPod,
  networkStates,
  patchablePod,
  patchVaries,
  sameMounts,
  shown,
  validPatch,
} from '../shared/patching.ts'
import { expectRefusal } from '../shared/refusal.ts'
import { readingOf } from '../shared/table.ts'
import { blockIfStatusNeverLasts, expectUnchanged, laterPodReads, rereadMoments } from '../shared/unchanged.ts'
import { kindOf } from './answers.ts'

const varies = [...patchVaries, 'afterwards'] as const
/** Without `patchedWhile`: responses are recorded, and a reading must not depend on the seed. */
const recordedVaries = patchVaries.filter((dimension) => dimension !== 'patchedWhile')

rule('pods.patch.omitted', { each: mountStates, varies: [...varies, 'branch'] }, async (context, shape) => {
  const { fixture, pods } = context
  const pod = await movedPod(context, await fixture.pod('EXITED', shape))
  const { pod: last } = await changes(context, pod)
  expectMountKept(context, last, pod)
  // Each field by itself; a platform may refuse to change some.
  for (const field of changeFields) await pods.patch(pod.id, changeOf(context, last, 'd', field))
  await expectMountKeptLater(context, pod)
})

rule('pods.patch.new-pod', { varies: ['kind', 'mount', 'fields', 'look'] }, async (context) => {
  const { check, clock, fixture, pods, lastRereadMs, settle } = context
  const pod = await fixture.fresh()
  const other = mountIn(pod.value) === 'network' ? 'persistent' : 'network'
  const response = await pods.patch(pod.id, { mounts: mountsMoved(context, other) }, { mustBeRefused: true })
  // A platform may also change no pod that is on its way to RUNNING.
  expectRefusal(context, 'refused', response)
  await pods.patch(pod.id, changeOf(context, pod, 'c'))
  await clock.sleep(lastRereadMs())
  expectMountKept(context, check('unchanged').pod(await pods.get(pod.id)), pod)
  const { response: last, status } = await settle(pod.id, (seen) => seen !== 'PROVISIONING' && seen !== 'STARTING')
  const isEnded = status === 'EXITED' || status === 'TERMINATED' || status === 'gone'
  // A pod that nobody touches may not become RUNNING either.
  if (isEnded) await fixture.pod('RUNNING', { kind: kindOf(pod) })
  check('goes-on').that(!isEnded, 'a pod that goes on to RUNNING', `status ${status}`, last)
  // If PATCH never works, the refusal shows nothing.
  await patchablePod(context, { kind: kindOf(pod), mount: mountIn(pod.value) })
})

rule(
  'pods.patch.empty-object',
  { each: mountStates, varies: [...varies, 'branch', 'sample'] },
  async (context, shape) => {
    const { pod, another } = await changes(context, await context.fixture.pod('EXITED', shape))
    const change = another('c')
    context.check('accepted').success(await context.pods.patch(pod.id, { ...change, mounts: {} }))
    expectMountKept(context, await changed(context, pod.id, change), pod)
    // `mounts: {}` without another field, or beside some, may be refused.
    const field = context.vary.sample('beside', ['nothing', ...changeFields] as const, String)
    const beside = field === 'nothing' ? {} : changeOf(context, pod, 'd', field)
    await context.pods.patch(pod.id, { ...beside, mounts: {} })
    await expectMountKeptLater(context, pod)
  },
)

rule('pods.patch.atomic', { varies: [...anyPod, 'order'] }, async (context) => {
  const { pod, another } = await changes(context, await context.fixture.pod('EXITED'))
  const { disk, ports } = pod.value
  const every = {
    ...Object.assign({}, ...changeFields.map((field) => changeOf(context, pod, 'd', field))),
    disk: Number(disk) + 5,
    ports: [...[ports].flat(), '8081/http'],
    ...context.target.pods?.locked?.lock,
  }
  for (const mounts of context.vary.ordered([{ network: [] }, { plumbline: true }])) {
    for (const change of [another('c'), every]) {
      const response = await context.pods.patch(pod.id, { ...change, mounts }, { mustBeRefused: true })
      if (!isRefusal(response)) {
        const by = 'plumbline' in mounts ? 'pods.patch.extra' : 'pods.patch.empty-network'
        context.blocked(by, `a PATCH with wrong mounts answered ${response.status}`)
      }
    }
  }
  await context.clock.sleep(context.lastRereadMs())
  const after = context.check('unchanged').pod(await context.pods.get(pod.id))
  if (after.status !== pod.status) await blockIfStatusNeverLasts(context, pod)
  const other = changedFields(pod.value, after.value).join(', ')
  context.check('unchanged').that(other === '', 'no field changed', `changed: ${other}`, after)
})

rule('pods.patch.idempotent', { each: mountStates, varies: [...patchVaries, 'branch'] }, async (context, shape) => {
  const pod = await context.fixture.pod('EXITED', shape)
  const { body, after } = await applyPatch(context, pod)
  context.check('accepted').success(await context.pods.patch(pod.id, body))
  await expectUnchanged(context, after)
})

/** Sends a valid PATCH, and reads its pod until that is carried out. Ends the rule as inconclusive if it is not. */
async function applyPatch(context: Context, pod: PodView) {
  const { inconclusive, pods } = context
  const body = validPatch(context, pod)
  const response = await pods.patch(pod.id, body)
  if (!isSuccess(response.status)) inconclusive(`a valid PATCH answered ${response.status}`)
  const { pod: after, settled } = await shown(context, pod.id, (seen) => shows(seen, body))
  if (after === null || !settled) return inconclusive('a valid PATCH was answered and not carried out')
  return { body, response, after }
}

/** Expects the mount unchanged in later reads, in the list, and after the start and stop that are drawn. */
async function expectMountKeptLater(context: Context, before: PodView): Promise<void> {
  const { check, pods } = context
  const look = (response: ApiResponse) => expectMountKept(context, check('unchanged').pod(response), before)
  for await (const response of laterPodReads(context, before.id)) look(response)
  await expectListedAs(context, 'unchanged', { ...before, value: { mounts: before.value.mounts } })
  await afterwards(context, before, async () => look(await pods.get(before.id)))
}

function expectMountKept({ check }: Context, after: PodView, before: PodView): void {
  const text = ({ value }: PodView) => `mounts ${show(value.mounts)}`
  check('unchanged').that(sameMounts(after.value.mounts, before.value.mounts), text(before), text(after), after)
}

rule('pods.patch.network-path', { each: networkStates, varies: [...varies, 'branch'] }, (context, shape) =>
  moves(context, shape, 'network'),
)

rule('pods.patch.persistent-path', { varies }, async (context) => {
  for (const status of context.vary.every('patchedWhile'))
    await moves(context, { mount: 'persistent' }, 'persistent', status)
})

rule('pods.patch.answer', { varies: anyPod }, async (context) => {
  const { check, fixture } = context
  const { response, after } = await applyPatch(context, await fixture.pod('EXITED'))
  const answered = check('pod').pod(response)
  const lacking = podRequired.filter((name) => name in after.value && !(name in answered.value))
  check('full').that(lacking.length === 0, 'the full pod', `no ${lacking.join(', ')}`, response)
  const other = changedFields(answered.value, after.value)
  const text = ({ value }: PodView) => fieldsText(value, other)
  check('as-afterwards').that(other.length === 0, `as later reads show it: ${text(after)}`, text(answered), response)
})

/** Moves the mount of a pod: reads show it at its new path, now and later, and after the start and stop that are drawn. */
async function moves(
  context: Context,
  shape: PodShape,
  mount: 'network' | 'persistent',
  status = context.vary.draw('patchedWhile'),
): Promise<void> {
  const { check } = context
  const mounts: Members = mountsMoved(context, mount)
  const { pod, response } = await patchedIn(context, status, shape, { mounts })
  check('accepted').success(response)
  if (pod.status === 'RUNNING') await untilApplied(context, pod, mounts)
  const expectMoved = async (when = '') => {
    const { settled, ...after } = await shown(context, pod.id, isMounted(mounts))
    check('changed').that(settled, `mounts ${show(mounts)}${when}`, `${mountsText(after)}${when}`, after.response)
    return after.pod
  }
  let last = await expectMoved()
  for await (const _ of rereadMoments(context)) last = await expectMoved()
  if (last !== null) await expectListedAs(context, 'changed', last)
  await afterwards(context, pod, expectMoved)
}

/** A pod in a status, and the response to its PATCH. PATCH may refuse changes while the container runs. */
async function patchedIn(
  { fixture, pods, vary }: Context,
  status: 'EXITED' | 'RUNNING',
  shape: PodShape,
  body: Members,
) {
  const pod = await fixture.pod(status, shape)
  const response = await pods.patch(pod.id, body)
  if (pod.status === 'EXITED' || !isRefusal(response)) return { pod, response }
  vary.fellBack('patchedWhile')
  const exited = await fixture.pod('EXITED', shape)
  return { pod: exited, response: await pods.patch(exited.id, body) }
}

/** Waits for the restart of a container that PATCH causes. If none shows the new mounts, one is asked for. */
async function untilApplied(context: Context, { id }: PodView, mounts: Members): Promise<void> {
  const { pods, settle } = context
  const { settled } = await shown(context, id, isMounted(mounts))
  if (!settled) await pods.act(id, 'restart')
  await settle(id, (seen) => seen === 'RUNNING')
}

function mountsText({ pod, status }: Pick<Settled, 'pod' | 'status'>): string {
  return pod === null ? `no pod, ${status}` : `mounts ${show(pod.value.mounts)}`
}

rule('pods.patch.persistent-size', { varies: recordedVaries }, async (context) => {
  const pod = await patchablePod(context, { mount: 'persistent' })
  const { size, path } = movedPersistent(context)
  const mounts = { persistent: { size: size + 10, path } }
  const response = await context.pods.patch(pod.id, { mounts })
  context.reading('another size', readingOf(response))
  if (isRefusal(response)) return expectUnchanged(context, pod)
  context.check('answer').success(response)
  const { settled, ...after } = await shown(context, pod.id, ({ value }) => sameMounts(value.mounts, mounts))
  context.check('applied').that(settled, `mounts ${show(mounts)}`, mountsText(after), after.response)
})

rule('pods.patch.null', { each: mountStates, varies: recordedVaries }, async (context, shape) => {
  const pod = await patchablePod(context, shape)
  const state = [shape.kind, shape.mount].filter(Boolean).join(' ')
  for (const member of ['mounts', 'network', 'persistent']) {
    const response = await context.pods.patch(pod.id, { mounts: member === 'mounts' ? null : { [member]: null } })
    context.reading(`${member} of ${state}`, readingOf(response))
    if (!isSuccess(response.status)) context.check('answer').status(response, 400, 422)
  }
  await expectUnchanged(context, pod)
})

rule('pods.patch.size-minimum', { varies: patchVaries }, async (context) => {
  const { check, inconclusive, pods } = context
  const pod = await patchablePod(context, { mount: 'persistent' })
  const mount = movedPersistent(context)
  const refused: ApiResponse[] = []
  for (const size of [9, 0]) {
    const response = await pods.patch(pod.id, { mounts: { persistent: { ...mount, size } } })
    check('refused').status(response, 422, 400)
    refused.push(response)
  }
  await expectUnchanged(context, pod)
  // 9 and 0 are also smaller than the current size, and a target may refuse to shrink with 400.
  const with400 = refused.find(({ status }) => status === 400)
  if (with400 === undefined) return
  const isShrunk = await triesToShrink(context, pod)
  if (!isShrunk) inconclusive('the target does not shrink mounts, so its 400 does not show that the size is invalid')
  check('refused').status(with400, 422)
})

/** Makes a persistent mount larger, and smaller again, to a size that is valid. True if both are carried out. */
async function triesToShrink(context: Context, { id }: PodView): Promise<boolean> {
  const { size, path } = movedPersistent(context)
  for (const other of [size + 10, size]) {
    const mounts = { persistent: { size: other, path } }
    const { status } = await context.pods.patch(id, { mounts })
    if (!isSuccess(status)) return false
    const { settled } = await shown(context, id, ({ value }) => sameMounts(value.mounts, mounts))
    if (!settled) return false
  }
  return true
}
