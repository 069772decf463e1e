import type { Defect } from '../types.ts'
import { defect, is, onJson, shows, succeeded } from './tools.ts'

/** Pods that are shown in another form than stated, each in one place. */
export const shape: readonly Defect[] = [
  defect('stop-answers-without-started-at', 'pods.shape.required', 'fields', {
    says: 'The pod that an action answers has no startedAt.',
    observed: 'no startedAt',
    wrap: onJson(succeeded(is.action), ({ startedAt: _, ...pod }) => pod),
  }),
  defect('action-answers-another-id', 'pods.shape.id-matches', 'id', {
    says: 'The answer to an action shows an id with the region in front.',
    observed: 'another id',
    wrap: onJson(succeeded(is.action), (pod) => ({ ...pod, id: `region-1/${pod.id}` })),
  }),
  defect('starting-shows-restart', 'pods.shape.actions-match-status', 'permitted', {
    says: 'A STARTING pod publishes restart.',
    observed: 'restart, stop, terminate while STARTING',
    change: shows((pod) => (pod.status === 'STARTING' ? { ...pod, actions: ['stop', 'restart', 'terminate'] } : pod)),
  }),
  defect('exited-shows-start-twice', 'pods.shape.actions-match-status', 'repeats', {
    says: 'An EXITED pod publishes start twice.',
    observed: 'an action twice',
    change: shows((pod) => (pod.status === 'EXITED' ? { ...pod, actions: ['start', 'terminate', 'start'] } : pod)),
  }),
  defect('gpu-pods-show-cpu-null', 'pods.shape.gpu-xor-cpu', 'omitted', {
    says: 'A GPU pod has cpu: null.',
    observed: 'gpu an object, cpu null',
    change: shows((pod) => ('gpu' in pod ? { ...pod, cpu: null } : pod)),
  }),
  defect('exited-cpu-pods-without-cpu', 'pods.shape.gpu-xor-cpu', 'present', {
    says: 'A CPU pod that is EXITED has neither gpu nor cpu.',
    observed: 'neither',
    change: shows(({ cpu, ...pod }) => (cpu === undefined || pod.status === 'EXITED' ? pod : { ...pod, cpu })),
  }),
  defect('mounts-show-both-kinds', 'pods.shape.mounts', 'one-kind', {
    says: 'A pod with a persistent mount shows a network mount beside it.',
    observed: 'persistent and network',
    change: shows((pod, { mounts: { persistent } }) =>
      persistent === undefined ? pod : { ...pod, mounts: { persistent, network: [{ volumeId: 'vol-1', path: '/b' }] } },
    ),
  }),
  defect('mounts-show-network-twice', 'pods.shape.mounts', 'one-entry', {
    says: 'A network mount is shown twice.',
    observed: '2 network mounts',
    change: shows((pod, { mounts: { network = [] } }) =>
      network.length === 0 ? pod : { ...pod, mounts: { network: [...network, ...network] } },
    ),
  }),
  defect('mounts-show-more-of-persistent', 'pods.shape.mounts', 'closed', {
    says: 'A persistent mount shows how much of it is used.',
    observed: 'mounts.persistent.used',
    change: shows((pod, { mounts: { persistent } }) =>
      persistent === undefined ? pod : { ...pod, mounts: { persistent: { ...persistent, used: 1 } } },
    ),
  }),
  defect('exited-costs', 'pods.shape.cost-zero', 'zero', {
    says: 'An EXITED pod goes on to cost what it cost before.',
    observed: 'cost 0.44 while EXITED',
    change: shows((pod, { price }) => (pod.status === 'EXITED' ? { ...pod, cost: price } : pod)),
  }),
  defect('exited-shows-runtime', 'pods.shape.runtime-null', 'null', {
    says: 'An EXITED pod keeps its runtime, with its ports.',
    observed: 'an object while EXITED',
    change: shows((pod) => (pod.status === 'EXITED' ? { ...pod, runtime: { ports: [] } } : pod)),
  }),
]
