import { constraints } from '../../generated/tables.ts'
import type { Reply } from '../../harness/client/reply.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { rule } from '../../harness/rule/registry.ts'
import {
  expectRefused,
  isRefusal,
  mountStates,
  movedNetwork,
  movedPersistent,
  patchablePod,
  patchVaries,
  sameMounts,
  shown,
} from '../shared/patching.ts'
import { expectUnchanged } from '../shared/unchanged.ts'

/** The answers are recorded, so the status of the pod is the same in every run. */
const anyMount = patchVaries.filter((dimension) => dimension !== 'patchedWhile')

rule(
  'pods.patch.persistent-size',
  async (context) => {
    const pod = await patchablePod(context, { mount: 'persistent' })
    const { size, path } = movedPersistent(context)
    const mounts = { persistent: { size: size + 10, path } }
    const reply = await context.pods.patch(pod.id, { mounts })
    context.reading('another size', readingOf(reply))
    if (isRefusal(reply)) return expectUnchanged(context, pod)
    context.check('answer').success(reply)
    const { settled } = await shown(context, pod.id, ({ value }) => sameMounts(value.mounts, mounts))
    context.check('applied').that(settled, 'reads with the size that was accepted', 'another mount in reads', reply)
  },
  { varies: anyMount },
)

rule(
  'pods.patch.null',
  async (context, shape) => {
    const pod = await patchablePod(context, shape)
    const state = [shape.kind, shape.mount].filter(Boolean).join(' ')
    for (const member of ['mounts', 'network', 'persistent']) {
      const reply = await context.pods.patch(pod.id, { mounts: member === 'mounts' ? null : { [member]: null } })
      context.reading(`${member} of ${state}`, readingOf(reply))
      if (reply.status >= 300) context.check('answer').status(reply, 400, 422)
    }
    await expectUnchanged(context, pod)
  },
  { each: mountStates, varies: anyMount },
)

rule(
  'pods.patch.two-networks',
  async (context) => {
    const pod = await patchablePod(context, { mount: 'network' })
    const own = movedNetwork(context)
    const network = [own, { ...own, path: `${own.path}-c` }]
    const [reply] = await expectRefused(context, pod, [{ mounts: { network } }], ...constraints.twoNetworks)
    if (reply !== undefined) context.reading('two networks', readingOf(reply))
  },
  { varies: patchVaries },
)

function readingOf({ status }: Reply): string {
  return isSuccess(status) ? 'accepted' : String(status)
}
