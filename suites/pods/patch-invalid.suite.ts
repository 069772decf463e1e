import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import type { PodView } from '../harness/read.ts'
import { rule } from '../harness/registry.ts'
import { movedNetwork, movedPersistent, patchablePod, refuses, sameMounts, shown } from './patching.ts'
import { staysUnchanged } from './unchanged.ts'

rule('pods.patch.partial-persistent', async (context) => {
  const pod = await patchablePod(context, { mount: 'persistent' })
  const { size, path } = movedPersistent(context)
  await refuses(context, pod, [{ mounts: { persistent: { path } } }, { mounts: { persistent: { size } } }], 422)
})

rule('pods.patch.partial-network', async (context) => {
  const pod = await patchablePod(context, { mount: 'network' })
  const { volumeId, path } = movedNetwork(context)
  await refuses(context, pod, [{ mounts: { network: [{ path }] } }, { mounts: { network: [{ volumeId }] } }], 422)
})

rule('pods.patch.size-minimum', async (context) => {
  const { check, inconclusive, pods } = context
  const pod = await patchablePod(context, { mount: 'persistent' })
  const mount = movedPersistent(context)
  const refused: Reply[] = []
  for (const size of [9, 0]) {
    const reply = await pods.patch(pod.id, { mounts: { persistent: { ...mount, size } } })
    check('refused').status(reply, 422, 400)
    refused.push(reply)
  }
  await staysUnchanged(context, pod)
  // Such a size is another size and a smaller one as well, which a target need not accept: 400 may be for that.
  const with400 = refused.find(({ status }) => status === 400)
  if (with400 === undefined) return
  if (!(await canShrink(context, pod))) inconclusive('this target may refuse any smaller size, with 400 as well')
  check('refused').status(with400, 422)
})

rule('pods.patch.extra', async (context) => {
  const plumbline = true
  const network = movedNetwork(context)
  const pod = await patchablePod(context, { mount: 'network' })
  const wrong = [{ network: [network], plumbline }, { network: [{ ...network, plumbline }] }]
  await refuses(
    context,
    pod,
    wrong.map((mounts) => ({ mounts })),
    422,
  )
  if (!context.offers('pods.persistent')) return
  const hostPod = await patchablePod(context, { mount: 'persistent' })
  await refuses(context, hostPod, [{ mounts: { persistent: { ...movedPersistent(context), plumbline } } }], 422)
})

rule('pods.patch.wrong-type', async (context) => {
  const network = movedNetwork(context)
  const pod = await patchablePod(context, { mount: 'network' })
  const wrong = ['none', 7, [{ network: [network] }], { network }, { network: [network.path] }]
  const paths = [7, true, [network.path]].map((path) => ({ network: [{ ...network, path }] }))
  await refuses(
    context,
    pod,
    [...wrong, ...paths].map((mounts) => ({ mounts })),
    422,
  )
  // A volumeId of another type is another volume as well.
  await refuses(context, pod, [{ mounts: { network: [{ ...network, volumeId: 7 }] } }], 400, 422)
  if (!context.offers('pods.persistent')) return
  const hostPod = await patchablePod(context, { mount: 'persistent' })
  const persistent = movedPersistent(context)
  const { path, size } = persistent
  const mounts = ['none', [persistent], { path, size: String(size) }, { size, path: 7 }]
  await refuses(
    context,
    hostPod,
    mounts.map((mount) => ({ mounts: { persistent: mount } })),
    422,
  )
})

/** Whether a persistent mount is made larger, and smaller again, to a size that is valid. */
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
