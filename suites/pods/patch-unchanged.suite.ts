import { changedFields, type PodView, show } from '../../harness/exchange/read.ts'
import { shows } from '../../harness/fixtures/change.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { afterwards, changed, changes } from '../shared/changing.ts'
import { isRefusal, mountStates, patchVaries, sameMounts, shown, validPatch } from '../shared/patching.ts'
import { expectUnchanged, laterLooks, lookAgain, refuseRestless } from '../shared/unchanged.ts'

rule('pods.patch.omitted', { each: mountStates, varies: [...patchVaries, 'afterwards'] }, async (context, shape) => {
  const pod = await context.fixture.pod('EXITED', shape)
  expectMountKept(context, (await changes(context, pod)).pod, pod)
  await goesOnKeeping(context, pod)
})

rule(
  'pods.patch.empty-object',
  { each: mountStates, varies: [...patchVaries, 'afterwards'] },
  async (context, shape) => {
    const { pod, another } = await changes(context, await context.fixture.pod('EXITED', shape))
    const change = another('c')
    context.check('accepted').success(await context.pods.patch(pod.id, { ...change, mounts: {} }))
    expectMountKept(context, await changed(context, pod.id, change), pod)
    await goesOnKeeping(context, pod)
  },
)

rule('pods.patch.atomic', { varies: [...anyPod, 'order'] }, async (context) => {
  const { pod, another } = await changes(context, await context.fixture.pod('EXITED'))
  const change = another('c')
  for (const mounts of context.vary.ordered([{ network: [] }, { plumbline: true }])) {
    const reply = await context.pods.patch(pod.id, { ...change, mounts }, { repeats: true })
    if (!isRefusal(reply)) {
      const by = 'plumbline' in mounts ? 'pods.patch.extra' : 'pods.patch.empty-network'
      context.blocked(by, `a PATCH with wrong mounts answered ${reply.status}`)
    }
  }
  const after = context.check('unchanged').pod(await lookAgain(context, pod.id))
  if (after.status !== pod.status) await refuseRestless(context, pod)
  const other = changedFields(pod.value, after.value).join(', ')
  context.check('unchanged').that(other === '', 'no field changed', `changed: ${other}`, after)
})

rule('pods.patch.idempotent', { each: mountStates, varies: patchVaries }, async (context, shape) => {
  const pod = await context.fixture.pod('EXITED', shape)
  const body = validPatch(context, pod)
  const first = await context.pods.patch(pod.id, body)
  if (first.status >= 300) context.inconclusive(`a valid PATCH answered ${first.status}`)
  const once = await shown(context, pod.id, (seen) => shows(seen, body))
  if (once.pod === null || !once.settled) return context.inconclusive('a valid PATCH was answered and not carried out')
  context.check('accepted').success(await context.pods.patch(pod.id, body))
  await expectUnchanged(context, once.pod)
})

/** The mount is still there at each later look, and after what is drawn. */
async function goesOnKeeping(context: Context, before: PodView): Promise<void> {
  const { check, pods } = context
  for await (const reply of laterLooks(context, before.id))
    expectMountKept(context, check('unchanged').pod(reply), before)
  await afterwards(context, before.id, async () => {
    expectMountKept(context, check('unchanged').pod(await pods.get(before.id)), before)
  })
}

function expectMountKept({ check }: Context, after: PodView, before: PodView): void {
  const text = ({ value }: PodView) => `mounts ${show(value.mounts)}`
  check('unchanged').that(sameMounts(after.value.mounts, before.value.mounts), text(before), text(after), after)
}
