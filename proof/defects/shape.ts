import type { Defect } from '../types.ts'
import { answered, defect, is, onJson, onResponse, setsHeader, shows, succeeded, type Wrap } from './tools.ts'

/** Pods, errors and rate headers in another form than stated, each in one place. */
export const shape: readonly Defect[] = [
  defect('stop-answers-without-started-at', 'pods.shape.required', 'fields', {
    says: 'The pod that an action answers has no startedAt.',
    observed: 'no startedAt',
    wrap: onJson(succeeded(is.action), ({ startedAt: _, ...pod }) => pod),
  }),
  defect('action-answers-another-id', 'pods.shape.id-matches', 'id', {
    says: 'The response to an action shows an id with the region in front.',
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
    says: 'An EXITED pod still costs what it cost before.',
    observed: 'cost 0.44 while EXITED',
    change: shows((pod, { price }) => (pod.status === 'EXITED' ? { ...pod, cost: price } : pod)),
  }),
  defect('exited-shows-runtime', 'pods.shape.runtime-null', 'null', {
    says: 'An EXITED pod keeps its runtime, with its ports.',
    observed: 'an object while EXITED',
    change: shows((pod) => (pod.status === 'EXITED' ? { ...pod, runtime: { ports: [] } } : pod)),
  }),
  defect('not-found-without-body', 'errors.problem.shape', 'body', {
    says: 'A 404 has no body.',
    observed: 'no body',
    wrap: onResponse(answered(404), () => ({ text: '' })),
  }),
  defect('validation-says-400', 'errors.problem.status', 'status', {
    says: 'The problem of a 422 says that its status is 400.',
    observed: 'status 400 in the body',
    wrap: onJson(answered(422), (body) => ({ ...body, status: 400 })),
  }),
  defect('day-without-t', 'limits.pods.headers-syntax', 'rate-limit', {
    says: 'The day window of RateLimit has no t.',
    observed: 't of day missing',
    wrap: rewritten('ratelimit', (text) => text.replace(/("day";r=\d+);t=\d+/, '$1')),
  }),
  defect('hour-quota-fraction', 'limits.pods.headers-syntax', 'rate-limit-policy', {
    says: 'The quota of the hour has a fraction.',
    observed: 'q of hour not whole',
    wrap: rewritten('ratelimit-policy', (text) => text.replace(/("hour";q=\d+)/, '$1.5')),
  }),
  defect('hour-missing', 'limits.pods.windows', 'rate-limit', {
    says: 'RateLimit has no window hour.',
    observed: 'day, minute',
    wrap: rewritten('ratelimit', (text) => text.replace(/"hour"[^,]*, /, '')),
  }),
  defect('minute-of-another-name', 'limits.pods.windows', 'rate-limit-policy', {
    says: 'RateLimit-Policy names the minute otherwise than RateLimit does.',
    observed: 'day, hour, per-minute',
    wrap: rewritten('ratelimit-policy', (text) => text.replace('"minute"', '"per-minute"')),
  }),
  defect('rate-limit-ends-in-comma', 'limits.pods.structured', 'rate-limit', {
    says: 'RateLimit ends in a comma.',
    observed: 'no structured-field list',
    wrap: rewritten('ratelimit', (text) => `${text},`),
  }),
  defect('policy-names-tokens', 'limits.pods.structured', 'rate-limit-policy', {
    says: 'The windows of RateLimit-Policy are named by tokens.',
    observed: 'no string',
    wrap: rewritten('ratelimit-policy', (text) => text.replaceAll('"', '')),
  }),
  defect('more-left-than-quota', 'limits.pods.bounds', 'remaining', {
    says: 'More requests are left in a minute than its quota.',
    observed: 'r above q in the window minute',
    wrap: rewritten('ratelimit', (text) => text.replace(/"minute";r=\d+/, '"minute";r=1000000')),
  }),
  defect('minute-resets-later', 'limits.pods.bounds', 'reset', {
    says: 'The minute resets in more than a minute.',
    observed: 't above w in the window minute',
    wrap: rewritten('ratelimit', (text) => text.replace(/("minute";r=\d+);t=\d+/, '$1;t=90')),
  }),
  defect('minute-stands-still', 'limits.pods.resets', 'falls', {
    says: 'The minute always resets in half a minute.',
    observed: 't of minute has not fallen',
    wrap: rewritten('ratelimit', (text) => text.replace(/("minute";r=\d+);t=\d+/, '$1;t=30')),
  }),
]

/** Answers whose header is written otherwise. */
function rewritten(name: string, rewrite: (text: string) => string): Wrap {
  return setsHeader((_, { headers }) => headers.has(name), name, rewrite)
}
