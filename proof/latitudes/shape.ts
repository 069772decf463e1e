import { is, onResponse, part } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, styled, verdict } from './tools.ts'

/** How a pod is written down. More members than the description names are nowhere forbidden in a response. */
export const shape = [
  styled('times-seconds', 'Date-times have no fraction.', { dateTimes: 'seconds' }),
  latitude('times-by-response', 'Only the response to a read of a pod has date-times with a fraction.', {
    about: ['bodies of creations', 'changes', 'the list'],
    wrap: onResponse(
      (request) => !is.get(request),
      ({ text }) => ({ text: text.replaceAll(/(T[\d:]+)\.\d+Z/g, '$1Z') }),
    ),
  }),
  styled('times-microseconds', 'Date-times have six digits of fraction.', { dateTimes: 'microseconds' }),
  styled('times-offset', 'Date-times end in +00:00.', { dateTimes: 'offset' }),
  styled('times-elsewhere', 'Date-times have the offset of another zone.', { dateTimes: 'elsewhere' }),
  styled('times-lower-case', 'Date-times are written with a lower-case t and z.', { dateTimes: 'lower-case' }),
  styled(
    'more-fields',
    'Pods, their hardware, runtime and problems have more members than are named, and some of these change.',
    {
      extraFields: true,
    },
  ),
  styled('more-variables', 'env has variables of the platform beside those that were set.', { extraEnv: true }),
  styled('members-reversed', 'Members come in another order.', { memberOrder: 'reversed' }),
  styled('actions-reversed', 'actions come in another order.', { actionsOrder: 'reversed' }),
  styled('json-indented', 'Answers are indented JSON.', { json: 'indented' }),
  styled(
    'runtime-partial',
    'runtime has some of its fields, as the target file says.',
    { runtimeParts: 'partial' },
    {
      about: 'addresses of ports',
      file: (target) => ({ ...target, absent: { ...target.absent, 'runtime.ports': 'not shown' } }),
      verdicts: verdict('not-applicable', ['pods.shape.runtime-ports']),
    },
  ),
  styled(
    'runtime-empty',
    'runtime is an object without fields, as the target file says.',
    { runtimeParts: 'empty' },
    {
      file: (target) => ({ ...target, absent: { ...target.absent, runtime: 'not shown' } }),
      verdicts: verdict('not-applicable', [
        'pods.shape.runtime',
        'pods.shape.runtime-ports',
        'pods.shape.uptime-grows',
        'pods.shape.uptime-value',
      ]),
    },
  ),
  latitude(
    'runtime-empty-at-first',
    'runtime is an object without fields until the container has run for two seconds.',
    {
      change: part('presentRuntime', (next, pod, { clock }) => {
        const shown = next()
        return shown !== null && clock.now() < (pod.containerStartedAtMs ?? 0) + 2_000 ? {} : shown
      }),
    },
  ),
  latitude(
    'ports-of-the-platform',
    'A RUNNING pod has a port of the platform beside its own, with the protocol http2.',
    {
      change: part('presentPod', (next) => {
        const shown = next()
        return shown.status === 'RUNNING' ? { ...shown, ports: [...shown.ports, '19123/http2'] } : shown
      }),
    },
  ),
  styled('ports-not-public', 'No port has a public number.', { publicPorts: 'null' }),
  styled('provisioning-unplaced', 'dataCenterId is null while the pod is PROVISIONING.', {
    provisioningDataCenter: 'null',
  }),
  styled('exited-unplaced', 'dataCenterId is null while the pod is EXITED.', { exitedDataCenter: 'null' }),
  styled('cost-from-running', 'cost is 0 until the pod is RUNNING.', { costBeforeRunning: 'zero' }),
  styled('cost-none-in-error', 'cost is 0 while the pod is in ERROR.', { costInError: 'zero' }),
  styled(
    'network-enabled-only',
    'globalNetworking says that it is enabled and nothing more.',
    {
      networkAddress: 'enabled-only',
    },
    { verdicts: { 'pods.global-networking.address': 'advice', 'pods.global-networking.reachable': 'inconclusive' } },
  ),
  styled('network-when-running', 'A global address is assigned once the pod is RUNNING.', {
    networkAssigned: 'running',
  }),
  latitude('dns-in-capitals', 'internalDns is written in capital letters.', {
    change: part('presentPod', (next) => {
      const shown = next()
      const { internalDns } = shown.globalNetworking
      if (internalDns === undefined) return shown
      return { ...shown, globalNetworking: { ...shown.globalNetworking, internalDns: internalDns.toUpperCase() } }
    }),
  }),
  latitude('community-unplaced', 'A pod is of the community unless it asks for more, and then shows no data center.', {
    about: 'bodies of creations',
    change: part('presentPod', (next, pod) => {
      const isSecure = pod.mounts.network !== undefined || pod.globalNetworking || pod.disk !== 20
      return isSecure ? next() : { ...next(), cloud: 'COMMUNITY', dataCenterId: null }
    }),
  }),
  latitude('no-network-empty-list', 'A pod without a network mount shows an empty list of network mounts.', {
    change: part('presentPod', (next) => {
      const shown = next()
      return 'network' in shown.mounts ? shown : { ...shown, mounts: { ...shown.mounts, network: [] } }
    }),
  }),
  latitude('image-in-full', 'An image reference is shown with its registry.', {
    change: part('presentPod', (next) => {
      const shown = next()
      return shown.image.includes('/') ? shown : { ...shown, image: `docker.io/library/${shown.image}` }
    }),
  }),
  latitude('image-with-digest', 'An image reference is shown with the tag latest, if it names none, and its digest.', {
    change: part('presentPod', (next) => {
      const shown = next()
      const tag = /:[^/]+$/.test(shown.image) ? '' : ':latest'
      return { ...shown, image: `${shown.image}${tag}@sha256:${'a'.repeat(64)}` }
    }),
  }),
] as const satisfies readonly Latitude[]
