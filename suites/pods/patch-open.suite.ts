import type { Reply } from '../../harness/client/reply.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { PodView } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import {
  isRefusal,
  mountStates,
  movedPersistent,
  patchablePod,
  patchVaries,
  sameMounts,
  shown,
} from '../shared/patching.ts'
import { expectUnchanged } from '../shared/unchanged.ts'

/** The answers are recorded, so the status of the pod is the same in every run. */
const anyMount = patchVaries.filter((dimension) => dimension !== 'patchedWhile')

rule('pods.patch.persistent-size', { varies: anyMount }, async (context) => {
  const pod = await patchablePod(context, { mount: 'persistent' })
  const { size, path } = movedPersistent(context)
  const mounts = { persistent: { size: size + 10, path } }
  const reply = await context.pods.patch(pod.id, { mounts })
  context.reading('another size', readingOf(reply))
  if (isRefusal(reply)) return expectUnchanged(context, pod)
  context.check('answer').success(reply)
  const { settled } = await shown(context, pod.id, ({ value }) => sameMounts(value.mounts, mounts))
  context.check('applied').that(settled, 'reads with the size that was accepted', 'another mount in reads', reply)
})

rule('pods.patch.null', { each: mountStates, varies: anyMount }, async (context, shape) => {
  const pod = await patchablePod(context, shape)
  const state = [shape.kind, shape.mount].filter(Boolean).join(' ')
  for (const member of ['mounts', 'network', 'persistent']) {
    const reply = await context.pods.patch(pod.id, { mounts: member === 'mounts' ? null : { [member]: null } })
    context.reading(`${member} of ${state}`, readingOf(reply))
    if (reply.status >= 300) context.check('answer').status(reply, 400, 422)
  }
  await expectUnchanged(context, pod)
})

rule('pods.patch.size-minimum', { varies: patchVaries }, async (context) => {
  const { check, inconclusive, pods } = context
  const pod = await patchablePod(context, { mount: 'persistent' })
  const mount = movedPersistent(context)
  const refused: Reply[] = []
  for (const size of [9, 0]) {
    const reply = await pods.patch(pod.id, { mounts: { persistent: { ...mount, size } } })
    check('refused').status(reply, 422, 400)
    refused.push(reply)
  }
  await expectUnchanged(context, pod)
  // Such a size is another size and a smaller one as well, which a target need not accept: 400 may be for that.
  const with400 = refused.find(({ status }) => status === 400)
  if (with400 === undefined) return
  if (!(await canShrink(context, pod))) inconclusive('this target may refuse any smaller size, with 400 as well')
  check('refused').status(with400, 422)
})

function readingOf({ status }: Reply): string {
  return isSuccess(status) ? 'accepted' : String(status)
}

/** True if a persistent mount can be made larger, and smaller again, to a size that is valid. */
async function canShrink(context: Context, { id }: PodView): Promise<boolean> {
  const { size, path } = movedPersistent(context)
  for (const other of [size + 10, size]) {
    const mounts = { persistent: { size: other, path } }
    const { status } = await context.pods.patch(id, { mounts })
    if (status >= 300) return false
    const { settled } = await shown(context, id, ({ value }) => sameMounts(value.mounts, mounts))
    if (!settled) return false
  }
  return true
}
