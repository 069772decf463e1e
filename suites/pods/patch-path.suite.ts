import { changedFields, type Members, show } from '../../harness/exchange/read.ts'
import { shows } from '../../harness/fixtures/change.ts'
import type { PodShape } from '../../harness/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { afterwards } from '../shared/changing.ts'
import { isMounted, mountsMoved, networkStates, patchVaries, shown, validPatch } from '../shared/patching.ts'

const varies = [...patchVaries, 'afterwards'] as const

rule('pods.patch.network-path', { each: networkStates, varies }, (context, shape) => moves(context, shape, 'network'))

rule('pods.patch.persistent-path', { varies }, (context) => moves(context, { mount: 'persistent' }, 'persistent'))

rule('pods.patch.answer', { varies: anyPod }, async (context) => {
  const { check, fixture, inconclusive, pods } = context
  const pod = await fixture.pod('EXITED')
  const body = validPatch(context, pod)
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

/** Moves the mount of an EXITED pod: reads show it at its new path, now and later, and after what is drawn. */
async function moves(context: Context, shape: PodShape, mount: 'network' | 'persistent'): Promise<void> {
  const { check, clock, fixture, looks, pods } = context
  const pod = await fixture.pod('EXITED', shape)
  const mounts: Members = mountsMoved(context, mount)
  const reply = await pods.patch(pod.id, { mounts })
  check('accepted').success(reply)
  const expectMoved = async (when = '') => {
    const after = await shown(context, pod.id, isMounted(mounts))
    const observed = after.pod === null ? `no pod, ${after.status}` : `mounts ${show(after.pod.value.mounts)}`
    check('changed').that(after.settled, `mounts ${show(mounts)}${when}`, `${observed}${when}`, after.reply)
  }
  await expectMoved()
  const sinceMs = clock.now()
  for (const ms of looks()) {
    await clock.at(sinceMs + ms)
    await expectMoved()
  }
  await afterwards(context, pod.id, expectMoved)
}
