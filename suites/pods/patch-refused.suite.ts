import { constraints } from '../../generated/tables.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import {
  bareStates,
  expectRefused,
  expectVolumeRefused,
  mountStates,
  movedNetwork,
  movedPersistent,
  networkStates,
  patchablePod,
  patchVaries,
} from '../shared/patching.ts'

const { bothMounts, cpuPersistent, emptyNetwork } = constraints

rule(
  'pods.patch.empty-network',
  async (context, shape) => {
    await expectRefused(context, await patchablePod(context, shape), [{ mounts: { network: [] } }], ...emptyNetwork)
  },
  { each: mountStates, varies: patchVaries },
)

rule(
  'pods.patch.persistent-on-network',
  async (context) => {
    const pod = await patchablePod(context, { kind: 'gpu', mount: 'network' })
    await expectRefused(context, pod, [{ mounts: context.fixture.mounts('persistent') }], 400)
  },
  { varies: patchVaries },
)

rule(
  'pods.patch.network-on-persistent',
  async (context) => {
    const pod = await patchablePod(context, { mount: 'persistent' })
    await expectVolumeRefused(context, pod, context.fixture.mounts('network'))
  },
  { varies: patchVaries },
)

rule(
  'pods.patch.mount-on-bare',
  async (context, shape) => {
    const { fixture, part } = context
    const pod = await patchablePod(context, shape)
    await expectVolumeRefused(context, pod, fixture.mounts('network'))
    // On a CPU pod a persistent mount is wrong for a reason of its own.
    if ('cpu' in pod.value || !part('pods.persistent')) return
    await expectRefused(context, pod, [{ mounts: fixture.mounts('persistent') }], 400)
  },
  { each: bareStates, varies: patchVaries },
)

rule(
  'pods.patch.cpu-persistent',
  async (context) => {
    const pod = await patchablePod(context, { kind: 'cpu' })
    await expectRefused(context, pod, [{ mounts: { persistent: movedPersistent(context) } }], ...cpuPersistent)
  },
  { varies: patchVaries },
)

rule(
  'pods.patch.both',
  async (context) => {
    const mounts = { persistent: movedPersistent(context), network: [movedNetwork(context)] }
    const pod = await patchablePod(context, { mount: 'network' })
    // A CPU pod may refuse the persistent mount first, with a status of that rule.
    await expectRefused(context, pod, [{ mounts }], ...('cpu' in pod.value ? cpuPersistent : bothMounts))
    if (context.part('pods.persistent'))
      await expectVolumeRefused(context, await patchablePod(context, { mount: 'persistent' }), mounts)
  },
  { varies: patchVaries },
)

rule(
  'pods.patch.other-volume',
  async (context, shape) => {
    const volumeId = context.target.pods?.volumeSecond
    const pod = await patchablePod(context, shape)
    await expectRefused(context, pod, [{ mounts: { network: [{ ...movedNetwork(context), volumeId }] } }], 400)
  },
  { each: networkStates, varies: patchVaries },
)

rule(
  'pods.patch.unknown-pod',
  async ({ check, fixture, inconclusive, pods }) => {
    const pod = await fixture.pod('EXITED')
    const twin = await pods.patch(pod.id, { mounts: {} })
    if (twin.status >= 300) inconclusive(`the same PATCH of a pod that is there answered ${twin.status}`)
    const gone = await fixture.gone()
    const reply = await pods.patch(gone.id, { mounts: {} }, { repeats: true })
    if (gone.origin === 'altered' && (reply.status === 400 || reply.status === 422)) {
      inconclusive('the id may not be of a form that this target knows')
    }
    if (gone.origin === 'terminated' && reply.status === 409) {
      inconclusive('the id of a terminated pod was answered 409, as TERMINATED may be')
    }
    check('not-found').status(reply, 404)
  },
  { varies: anyPod },
)
