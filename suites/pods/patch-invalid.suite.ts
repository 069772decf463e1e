import type { Reply } from '../../harness/client/reply.ts'
import type { PodView } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import {
  expectRefused,
  movedNetwork,
  movedPersistent,
  patchablePod,
  patchVaries,
  sameMounts,
  shown,
} from '../shared/patching.ts'
import { expectUnchanged } from '../shared/unchanged.ts'

rule(
  'pods.patch.partial-persistent',
  async (context) => {
    const pod = await patchablePod(context, { mount: 'persistent' })
    const { size, path } = movedPersistent(context)
    await expectRefused(context, pod, [{ mounts: { persistent: { path } } }, { mounts: { persistent: { size } } }], 422)
  },
  { varies: patchVaries },
)

rule(
  'pods.patch.partial-network',
  async (context) => {
    const pod = await patchablePod(context, { mount: 'network' })
    const { volumeId, path } = movedNetwork(context)
    await expectRefused(
      context,
      pod,
      [{ mounts: { network: [{ path }] } }, { mounts: { network: [{ volumeId }] } }],
      422,
    )
  },
  { varies: patchVaries },
)

rule(
  'pods.patch.size-minimum',
  async (context) => {
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
  },
  { varies: patchVaries },
)

rule(
  'pods.patch.extra',
  async (context, mount) => {
    const plumbline = true
    const network = movedNetwork(context)
    const wrong = {
      network: [{ network: [network], plumbline }, { network: [{ ...network, plumbline }] }],
      persistent: [{ persistent: { ...movedPersistent(context), plumbline } }],
    }
    await expectRefused(context, await patchablePod(context, { mount }), bodiesOf(wrong[mount]), 422)
  },
  { each: mountKinds, varies: patchVaries },
)

rule(
  'pods.patch.wrong-type',
  async (context, mount) => {
    const network = movedNetwork(context)
    const { path, size } = movedPersistent(context)
    const paths = [7, true, [network.path]].map((other) => ({ network: [{ ...network, path: other }] }))
    const mounts = ['none', [{ path, size }], { path, size: String(size) }, { size, path: 7 }]
    const wrong = {
      network: ['none', 7, [{ network: [network] }], { network }, { network: [network.path] }, ...paths],
      persistent: mounts.map((persistent) => ({ persistent })),
    }
    const pod = await patchablePod(context, { mount })
    await expectRefused(context, pod, bodiesOf(wrong[mount]), 422)
    if (mount === 'persistent') return
    // A volumeId of another type is another volume as well.
    await expectRefused(context, pod, bodiesOf([{ network: [{ ...network, volumeId: 7 }] }]), 400, 422)
  },
  { each: mountKinds, varies: patchVaries },
)

/** The kinds of mount on offer. */
function mountKinds({ part }: Context): readonly ('network' | 'persistent')[] {
  return part('pods.persistent') ? ['network', 'persistent'] : ['network']
}

function bodiesOf(all: readonly unknown[]): readonly unknown[] {
  return all.map((mounts) => ({ mounts }))
}

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
