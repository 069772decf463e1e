import type { Context } from '../harness/context.ts'
import { changeOf, shows } from '../harness/fixtures/change.ts'
import { changedFields, type PodView, show } from '../harness/read.ts'
import { rule } from '../harness/registry.ts'
import { movedNetwork, movedPersistent, networkStates, sameMounts, shown } from './patching.ts'

rule('pods.patch.network-path', async (context) => {
  await context.clock.beside(networkStates(context.part), async (shape) => {
    const pod = await context.fixture.pod('EXITED', shape)
    await becomes(context, pod, { network: [movedNetwork(context)] })
  })
})

rule('pods.patch.persistent-path', async (context) => {
  const pod = await context.fixture.pod('EXITED', { mount: 'persistent' })
  await becomes(context, pod, { persistent: movedPersistent(context) })
})

rule('pods.patch.answer', async (context) => {
  const { check, fixture, inconclusive, offers, pods } = context
  const isMounted = offers('volume')
  const pod = await fixture.pod('EXITED', { mount: isMounted ? 'network' : 'none' })
  const body = isMounted ? { mounts: { network: [movedNetwork(context)] } } : changeOf(context, pod, 'b')
  const reply = await pods.patch(pod.id, body)
  if (reply.status >= 300) inconclusive(`a valid PATCH answered ${reply.status}`)
  const answered = check('pod').pod(reply)
  const after = await shown(context, pod.id, (seen) => shows(seen, body))
  if (after.pod === null || !after.settled) return inconclusive('a valid PATCH was answered and not carried out')
  const other = changedFields(answered.value, after.pod.value)
  check('as-afterwards').that(
    other.length === 0,
    'an answer that shows the pod as reads do afterwards',
    `another ${other.join(', ')}`,
    reply,
  )
})

async function becomes(context: Context, pod: PodView, mounts: Readonly<Record<string, unknown>>): Promise<void> {
  const reply = await context.pods.patch(pod.id, { mounts })
  context.check('accepted').success(reply)
  const after = await shown(context, pod.id, ({ value }) => sameMounts(value.mounts, mounts))
  const observed = after.pod === null ? `no pod, ${after.status}` : `mounts ${show(after.pod.value.mounts)}`
  context.check('changed').that(after.settled, `mounts ${show(mounts)}`, observed, after.reply)
}
