import { constraints } from '../../generated/tables.ts'
import type { Members } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import type { Target } from '../../target/types.ts'
import { bareStates, mountedStates, mountStates, mountsMoved, networkStates, validPatch } from '../shared/patching.ts'
import { anyOf, needing, put, refusals, refusedWith } from '../shared/table.ts'
import { inconclusiveIfOtherReason } from './answers.ts'
import { inMount, inNetwork, inPersistent, networksIn, patching, twoNetworks } from './arrangements.ts'

const persistent = patching({ mount: 'persistent' })
const network = patching(networkStates)
const mounted = patching(mountedStates)

refusals('pods.patch.empty-network', patching(mountStates), constraints.emptyNetwork, {
  'empty list': { mounts: { network: [] } },
})

refusals('pods.patch.persistent-on-network', patching({ kind: 'gpu', mount: 'network' }), [400], {
  persistent: onlyMount('persistent'),
})

refusals('pods.patch.network-on-persistent', persistent, [400], { network: onlyMount('network') })

refusals('pods.patch.mount-on-bare', patching(bareStates), [400], {
  network: onlyMount('network'),
  // On a CPU pod a persistent mount is wrong for another reason.
  persistent: needing('pods.persistent', (_, target, { kind }: PodShape) =>
    kind === 'cpu' ? undefined : { mounts: mountsMoved({ target }, 'persistent') },
  ),
})

refusals('pods.patch.cpu-persistent', patching({ kind: 'cpu' }), constraints.cpuPersistent, {
  persistent: onlyMount('persistent'),
})

refusals(
  'pods.patch.both',
  patching(({ part }) => [
    ...(part('pods.gpu') ? [{ kind: 'gpu', mount: 'network' } as const] : []),
    ...(part('pods.cpu') ? [{ kind: 'cpu', mount: 'network' } as const] : []),
    ...(part('pods.persistent') ? [{ mount: 'persistent' } as const] : []),
  ]),
  constraints.bothMounts,
  {
    both: (valid, target, { kind }) => (kind === 'cpu' ? undefined : both(valid, target)),
    // The persistent mount may be refused first, with a status of pods.patch.cpu-persistent.
    'both on a CPU pod': refusedWith(constraints.cpuPersistent, (valid, target, { kind }: PodShape) =>
      kind === 'cpu' ? both(valid, target) : undefined,
    ),
    'persistent and an empty list': (_, target, { kind }) =>
      kind === 'cpu' ? undefined : { mounts: { ...mountsMoved({ target }, 'persistent'), network: [] } },
  },
)

refusals('pods.patch.other-volume', network, [400], {
  'second volume': (valid, { pods }) => inNetwork('volumeId', pods?.volumeSecond)(valid),
  // No volume may have this id, which may be found first.
  'another case': refusedWith([400, 404, 422], (valid, { pods }) =>
    inNetwork('volumeId', inAnotherCase(pods?.volume ?? ''))(valid),
  ),
})

refusals('pods.patch.partial-persistent', persistent, [422], {
  'no size': inPersistent('size'),
  'no path': inPersistent('path'),
})

refusals('pods.patch.partial-network', patching({ mount: 'network' }), [422], {
  'no volumeId': inNetwork('volumeId'),
  'no path': inNetwork('path'),
})

refusals('pods.patch.extra', mounted, [422], {
  'in mounts': put('mounts.plumbline', true),
  'in the mount': inMount('plumbline', true),
})

refusals('pods.patch.wrong-type', mounted, [422], {
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
  'another type': anyOf({
    'true for mounts': { mounts: true },
    'text for the list': (valid) => networksIn(valid)[0] && { mounts: { network: 'none' } },
    'object for the path': inMount('path', {}),
    'null for the path': inMount('path', null),
    'false for the path': inMount('path', false),
  }),
  // A volumeId of another type is another volume as well.
  'number for the volume': refusedWith([400, 422], inNetwork('volumeId', 7)),
})

refusals('pods.patch.two-networks', patching({ mount: 'network' }), constraints.twoNetworks, {
  'two networks': twoNetworks,
})

rule('pods.patch.unknown-pod', { varies: anyPod }, async (context) => {
  const { check, fixture, inconclusive, pods } = context
  const pod = await fixture.pod('EXITED')
  // A PATCH of nothing may be refused.
  const body = validPatch(context, pod)
  const twin = await pods.patch(pod.id, body)
  if (twin.status >= 300) inconclusive(`the same PATCH of a pod that exists was answered ${twin.status}`)
  const gone = await fixture.gone()
  const response = await pods.patch(gone.id, body, { mustBeRefused: true })
  inconclusiveIfOtherReason(context, gone, response)
  check('not-found').status(response, 404)
})

/** Letters in the other case. A UUID is left as it is, because it is the same one in either case. */
function inAnotherCase(id: string): string {
  if (/^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(id)) return id
  return id.replaceAll(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
}

/** A body with the mount of one kind that the target file has, and no other. */
function onlyMount(kind: 'network' | 'persistent') {
  return (_: Members, target: Target) => ({ mounts: mountsMoved({ target }, kind) })
}

/** A body with both kinds of mount. */
function both(_: Members, target: Target) {
  return { mounts: { ...mountsMoved({ target }, 'network'), ...mountsMoved({ target }, 'persistent') } }
}
