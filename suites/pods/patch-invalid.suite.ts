import { rule } from '../harness/registry.ts'
import { movedNetwork, movedPersistent, patchablePod, refuses, staysAs } from './patching.ts'

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
  for (const size of [9, 0]) {
    const reply = await pods.patch(pod.id, { mounts: { persistent: { ...mount, size } } })
    if (reply.status === 400) {
      const larger = await pods.patch(pod.id, { mounts: { persistent: { ...mount, size: mount.size + 10 } } })
      if (larger.status === 400) inconclusive('this target refuses every other size with 400')
    }
    check('refused').status(reply, 422)
  }
  await staysAs(context, pod)
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
