import { constraints } from '../../generated/tables.ts'
import type { Members } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/fixtures/types.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import type { Target } from '../../target/types.ts'
import { bareStates, mountStates, mountsMoved, networkStates } from '../shared/patching.ts'
import { needing, put, refusals, refusedWith } from '../shared/table.ts'
import { inMount, inNetwork, inPersistent, networksIn, twoNetworks } from './in-mount.ts'
import { patching } from './patch-arrangement.ts'

const persistent = patching(() => [{ mount: 'persistent' }])
const network = patching(networkStates)
const mounted = patching(({ part }) => [
  { mount: 'network' },
  ...(part('pods.persistent') ? [{ mount: 'persistent' } as const] : []),
])

refusals('pods.patch.empty-network', {
  arrange: patching(mountStates),
  cases: { 'empty list': { mounts: { network: [] } } },
  statuses: constraints.emptyNetwork,
})

refusals('pods.patch.persistent-on-network', {
  arrange: patching(() => [{ kind: 'gpu', mount: 'network' }]),
  cases: { persistent: onlyMount('persistent') },
  statuses: [400],
})

refusals('pods.patch.network-on-persistent', {
  arrange: persistent,
  cases: { network: onlyMount('network') },
  statuses: [400],
})

refusals('pods.patch.mount-on-bare', {
  arrange: patching(bareStates),
  cases: {
    network: onlyMount('network'),
    // On a CPU pod a persistent mount is wrong for another reason.
    persistent: needing('pods.persistent', (_, target, { kind }: PodShape) =>
      kind === 'cpu' ? undefined : { mounts: mountsMoved({ target }, 'persistent') },
    ),
  },
  statuses: [400],
})

refusals('pods.patch.cpu-persistent', {
  arrange: patching(() => [{ kind: 'cpu' }]),
  cases: { persistent: onlyMount('persistent') },
  statuses: constraints.cpuPersistent,
})

refusals('pods.patch.both', {
  arrange: patching(({ part }) => [
    ...(part('pods.gpu') ? [{ kind: 'gpu', mount: 'network' } as const] : []),
    ...(part('pods.cpu') ? [{ kind: 'cpu', mount: 'network' } as const] : []),
    ...(part('pods.persistent') ? [{ mount: 'persistent' } as const] : []),
  ]),
  cases: {
    both: (valid, target, { kind }) => (kind === 'cpu' ? undefined : both(valid, target)),
    // The persistent mount may be refused first, with a status of pods.patch.cpu-persistent.
    'both on a CPU pod': refusedWith(constraints.cpuPersistent, (valid, target, { kind }: PodShape) =>
      kind === 'cpu' ? both(valid, target) : undefined,
    ),
  },
  statuses: constraints.bothMounts,
})

refusals('pods.patch.other-volume', {
  arrange: network,
  cases: { 'second volume': (valid, { pods }) => inNetwork('volumeId', pods?.volumeSecond)(valid) },
  statuses: [400],
})

refusals('pods.patch.partial-persistent', {
  arrange: persistent,
  cases: { 'no size': inPersistent('size'), 'no path': inPersistent('path') },
  statuses: [422],
})

refusals('pods.patch.partial-network', {
  arrange: patching(() => [{ mount: 'network' }]),
  cases: { 'no volumeId': inNetwork('volumeId'), 'no path': inNetwork('path') },
  statuses: [422],
})

refusals('pods.patch.extra', {
  arrange: mounted,
  cases: { 'in mounts': put('mounts.plumbline', true), 'in the mount': inMount('plumbline', true) },
  statuses: [422],
})

refusals('pods.patch.wrong-type', {
  arrange: mounted,
  cases: {
    'text for mounts': { mounts: 'none' },
    'number for mounts': { mounts: 7 },
    'list for mounts': { mounts: [] },
    'object for the list': (valid) => networksIn(valid)[0] && { mounts: { network: networksIn(valid)[0] } },
    'text for the mount': inMount('', 'none'),
    'list for the mount': inMount('', ['/plumbline']),
    'number for the path': inMount('path', 7),
    'boolean for the path': inMount('path', true),
    'list for the path': inMount('path', ['/plumbline']),
    'text for the size': inPersistent('size', '10'),
    // A volumeId of another type is another volume as well.
    'number for the volume': refusedWith([400, 422], inNetwork('volumeId', 7)),
  },
  statuses: [422],
})

refusals('pods.patch.two-networks', {
  arrange: patching(() => [{ mount: 'network' }]),
  cases: { 'two networks': twoNetworks },
  statuses: constraints.twoNetworks,
})

rule(
  'pods.patch.unknown-pod',
  async ({ check, fixture, inconclusive, pods }) => {
    const pod = await fixture.pod('EXITED')
    const twin = await pods.patch(pod.id, { mounts: {} })
    if (twin.status >= 300) inconclusive(`the same PATCH of a pod that exists refusedWith ${twin.status}`)
    const gone = await fixture.gone()
    const reply = await pods.patch(gone.id, { mounts: {} }, { repeats: true })
    if (gone.origin === 'altered' && (reply.status === 400 || reply.status === 422)) {
      inconclusive('this target may not accept ids of this form')
    }
    if (gone.origin === 'terminated' && reply.status === 409) {
      inconclusive('the id of a terminated pod was refusedWith 409, as TERMINATED may be')
    }
    check('not-found').status(reply, 404)
  },
  { varies: anyPod },
)

/** A body with the mount of one kind that the target file has, and no other. */
function onlyMount(kind: 'network' | 'persistent') {
  return (_: Members, target: Target) => ({ mounts: mountsMoved({ target }, kind) })
}

/** A body with both kinds of mount. */
function both(_: Members, target: Target) {
  return { mounts: { ...mountsMoved({ target }, 'network'), ...mountsMoved({ target }, 'persistent') } }
}
