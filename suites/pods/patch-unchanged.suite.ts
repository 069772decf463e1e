import type { Context } from '../harness/context.ts'
import { changeOf, shows } from '../harness/fixtures/change.ts'
import { changedFields, type PodView, show } from '../harness/read.ts'
import { rule } from '../harness/registry.ts'
import { changed, changes } from './changing.ts'
import { isRefusal, mountStates, movedNetwork, patchablePod, sameMounts, shown } from './patching.ts'
import { lookAgain, staysUnchanged } from './unchanged.ts'

rule('pods.patch.omitted', async (context) => {
  await context.clock.beside(mountStates(context.part), async (shape) => {
    const pod = await context.fixture.pod('EXITED', shape)
    keepsMount(context, await changes(context, pod), pod)
  })
})

rule('pods.patch.empty-object', async (context) => {
  await context.clock.beside(mountStates(context.part), async (shape) => {
    const pod = await changes(context, await context.fixture.pod('EXITED', shape))
    const change = changeOf(context, pod, 'c')
    context.check('accepted').success(await context.pods.patch(pod.id, { ...change, mounts: {} }))
    keepsMount(context, await changed(context, pod.id, change), pod)
  })
})

rule('pods.patch.atomic', async (context) => {
  const pod = await changes(context, await context.fixture.pod('EXITED'))
  const change = changeOf(context, pod, 'c')
  for (const mounts of [{ network: [] }, { plumbline: true }]) {
    const reply = await context.pods.patch(pod.id, { ...change, mounts })
    if (!isRefusal(reply)) context.inconclusive(`a PATCH with wrong mounts answered ${reply.status}`)
  }
  const after = context.check('unchanged').pod(await lookAgain(context, pod.id))
  const other = changedFields(pod.value, after.value).join(', ')
  context.check('unchanged').that(other === '', 'no field changed', `changed: ${other}`, after)
})

rule('pods.patch.idempotent', async (context) => {
  const isMounted = context.offers('volume')
  const pod = await patchablePod(context, { mount: isMounted ? 'network' : 'none' })
  const body = isMounted ? { mounts: { network: [movedNetwork(context)] } } : changeOf(context, pod, 'b')
  const first = await context.pods.patch(pod.id, body)
  if (first.status >= 300) context.inconclusive(`a valid PATCH answered ${first.status}`)
  const once = await shown(context, pod.id, (seen) => shows(seen, body))
  if (once.pod === null || !once.settled) return context.inconclusive('a valid PATCH was answered and not carried out')
  context.check('accepted').success(await context.pods.patch(pod.id, body))
  await staysUnchanged(context, once.pod)
})

function keepsMount({ check }: Context, after: PodView, before: PodView): void {
  const text = ({ value }: PodView) => `mounts ${show(value.mounts)}`
  check('unchanged').that(sameMounts(after.value.mounts, before.value.mounts), text(before), text(after), after)
}
