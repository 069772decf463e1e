import { membersOf } from '../../harness/exchange/read.ts'
import type { StoredPod } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { type Change, defect, is, onResponse, part, serving, shows, succeeded } from './tools.ts'

const mountTour = ['pods.patch.network-path', 'pods.patch.persistent-path', 'pods.create.cpu'] as const

/** Fields of pods that contradict each other, the catalog or the past. */
export const fields: readonly Defect[] = [
  defect('cpu-pod-shows-persistent', 'pods.shape.cpu-no-persistent', 'none', {
    says: 'A CPU pod shows a persistent mount that nobody asked for.',
    observed: 'a persistent mount beside cpu',
    change: shows((pod) => ('cpu' in pod ? { ...pod, mounts: { persistent: { size: 10, path: '/p' } } } : pod)),
  }),
  defect('runtime-shows-internal-port', 'pods.shape.runtime-ports', 'known', {
    says: 'The runtime lists a port of the agent that runs beside the container.',
    observed: 'another private port',
    change: shows((pod) => ({ ...pod, runtime: withPort(pod.runtime) })),
  }),
  defect('running-without-data-center', 'pods.shape.datacenter', 'given', {
    says: 'A CPU pod that is RUNNING has no data center.',
    observed: 'null while RUNNING',
    change: shows((pod) => ('cpu' in pod ? { ...pod, dataCenterId: null } : pod)),
    tour: mountTour,
  }),
  defect('running-cpu-pod-is-free', 'pods.shape.cost-running', 'positive', {
    says: 'A CPU pod that is RUNNING costs nothing.',
    observed: 'cost 0 while RUNNING',
    change: shows((pod) => ('cpu' in pod ? { ...pod, cost: 0 } : pod)),
    tour: mountTour,
  }),
  defect('list-cut-off', 'pods.json', 'json', {
    says: 'The end of the list of pods is missing.',
    observed: 'a body that is not JSON',
    wrap: onResponse(succeeded(is.list), ({ text }) => ({ text: text.slice(0, -1) })),
  }),
  defect('list-without-runtime', 'pods.list.full-shape', 'fields', {
    says: 'The list leaves out the runtime of pods.',
    observed: 'no runtime',
    wrap: onResponse(succeeded(is.list), ({ text }) => ({ text: text.replaceAll('"runtime":', '"runTime":') })),
  }),
  defect('volume-in-two-data-centers', 'pods.shape.network-datacenter', 'same', {
    says: 'CPU pods are placed in another data center than their network volume.',
    observed: 'another data center',
    change: shows((pod) => ('cpu' in pod ? { ...pod, dataCenterId: 'elsewhere' } : pod)),
    tour: mountTour,
  }),
  defect('created-at-moves', 'pods.shape.times-order', 'created', {
    says: 'createdAt is the time of the last start once the pod has been started.',
    observed: 'another createdAt',
    change: shows((pod) => (pod.startedAt === null ? pod : { ...pod, createdAt: pod.startedAt })),
  }),
  defect('started-at-from-creation', 'pods.shape.times-order', 'unstarted', {
    says: 'A new pod has a startedAt.',
    observed: 'startedAt before the first start',
    change: shows((pod) => ({ ...pod, startedAt: pod.startedAt ?? pod.createdAt })),
  }),
  defect('running-without-started-at', 'pods.shape.times-order', 'given', {
    says: 'startedAt of a CPU pod is null, although it is RUNNING.',
    observed: 'startedAt null while RUNNING',
    change: shows((pod) => ('cpu' in pod ? { ...pod, startedAt: null } : pod)),
    tour: mountTour,
  }),
  defect('started-at-in-local-time', 'pods.shape.times-order', 'order', {
    says: 'startedAt is the local time of the host, two hours behind.',
    observed: 'startedAt before createdAt',
    change: shows((pod) => ({ ...pod, startedAt: earlier(pod.startedAt, 2 * 3_600_000) })),
  }),
  defect('address-while-disabled', 'pods.shape.global-networking', 'enabled-only', {
    says: 'A pod without global networking shows an address.',
    observed: 'ip while enabled is false',
    change: shows((pod) => ({ ...pod, globalNetworking: { ip: '10.0.0.1', ...membersOf(pod.globalNetworking) } })),
  }),
  defect('internal-name-of-its-name', 'pods.shape.global-networking', 'internal-dns', {
    says: 'The internal name of a pod begins with its name.',
    observed: 'another name',
    variation: { fields: 'networked' },
    tour: mountTour,
    change: shows((pod) => {
      const network = membersOf(pod.globalNetworking)
      const internalDns = `${pod.name}.pods.internal`
      return network?.internalDns === undefined ? pod : { ...pod, globalNetworking: { ...network, internalDns } }
    }),
  }),
  defect('runtime-never-measured', 'pods.shape.runtime-present', 'runtime', {
    says: 'Metrics are not collected.',
    observed: 'null',
    change: part('presentRuntime', () => null),
  }),
  defect('uptime-in-milliseconds', 'pods.shape.uptime-value', 'at-most-age', {
    says: 'uptime is in milliseconds.',
    observed: 'an uptime that is longer',
    change: uptime((seconds) => seconds * 1_000 + 1_000),
  }),
  defect('uptime-of-pod', 'pods.shape.uptime-value', 'restarted', {
    says: 'uptime goes on when the container is restarted.',
    observed: 'an uptime that goes on',
    change: part('presentRuntime', (next, pod, { clock }) => {
      const live = next()
      return live?.uptime === undefined
        ? live
        : { ...live, uptime: Math.floor((clock.now() - pod.createdAtMs) / 1_000) }
    }),
  }),
  defect('uptime-of-first-restart', 'pods.shape.uptime-value', 'restarted', {
    says: 'uptime goes on when the container is restarted for the second time.',
    observed: 'an uptime that goes on',
    change: keepsStart((pod, times) => pod.status === 'RUNNING' && times > 1),
  }),
  defect('uptime-of-first-start', 'pods.shape.uptime-value', 'started', {
    says: 'uptime of a pod that was stopped and started counts from its first start.',
    observed: 'an uptime that goes on',
    change: keepsStart((pod) => pod.status !== 'RUNNING'),
  }),
  defect('uptime-runs-twice-as-fast', 'pods.shape.uptime-value', 'pace', {
    says: 'uptime is in half seconds.',
    observed: 'an uptime that goes on',
    change: uptime((seconds) => seconds * 2),
  }),
  defect('uptime-stands-still', 'pods.shape.uptime-grows', 'grows', {
    says: 'uptime is measured once.',
    observed: 'an uptime that does not',
    change: uptime((seconds) => Math.min(seconds, 0)),
  }),
  defect('uptime-runs-fast', 'pods.shape.uptime-grows', 'pace', {
    says: 'uptime is in hundredths of a second.',
    observed: 'an uptime that grows faster',
    change: uptime((seconds) => seconds * 100),
  }),
  defect('unknown-pod-410', 'pods.get.unknown', 'not-found', {
    says: 'GET of a pod that no longer exists is answered 410.',
    observed: 'status 410',
    wrap: onResponse(
      (request, response) => is.get(request) && response.status === 404,
      () => ({ status: 410 }),
    ),
  }),
  defect('unknown-parameter-500', 'pods.query.unknown', 'get', {
    says: 'GET of a pod with a parameter that the API does not know is answered 500.',
    observed: 'status 500',
    wrap: onResponse(
      (request) => is.get(request) && request.url.includes('?'),
      () => ({ status: 500 }),
    ),
  }),
  defect('unknown-parameter-filters', 'pods.query.unknown', 'list', {
    says: 'A parameter that the API does not know filters the list, which is empty then.',
    observed: 'another response',
    wrap: onResponse(
      (request) => is.list(request) && request.url.includes('plumbline='),
      () => ({ text: '{"pods":[]}' }),
    ),
  }),
  defect('unknown-parameter-without-value-500', 'pods.query.unknown', 'get', {
    says: 'GET of a pod with a parameter without a value is answered 500.',
    observed: 'status 500',
    variation: { sample: 'without a value' },
    wrap: onResponse(
      (request) => is.get(request) && request.url.endsWith('='),
      () => ({ status: 500 }),
    ),
  }),
  defect('unknown-parameter-in-brackets-500', 'pods.query.unknown', 'list', {
    says: 'The list with a parameter whose name has brackets is answered 500.',
    observed: 'status 500',
    variation: { sample: 'in brackets' },
    wrap: onResponse(
      (request) => is.list(request) && /\[|%5B/.test(request.url),
      () => ({ status: 500 }),
    ),
  }),
  defect('catalog-404-later', 'pods.catalog.cpus', 'answered', {
    says: 'The CPU catalog is not found any more five minutes after the service began.',
    observed: 'status 404',
    change(base) {
      const endMs = base.clock.now() + 300_000
      return serving(async (request, { clock, fetch }) =>
        isCatalog(request) && clock.now() > endMs ? new Response(null, { status: 404 }) : fetch(request),
      )(base)
    },
  }),
  defect('catalog-404', 'pods.catalog.cpus', 'answered', {
    says: 'The CPU catalog is not found.',
    observed: 'status 404',
    wrap: onResponse(isCatalog, () => ({ status: 404 })),
  }),
  defect('catalog-empty', 'pods.catalog.cpus', 'flavors', {
    says: 'The CPU catalog lists no flavor.',
    observed: '{"cpus":[]}',
    wrap: onResponse(isCatalog, () => ({ text: '{"cpus":[]}' })),
  }),
  defect('catalog-without-ids', 'pods.catalog.cpus', 'id', {
    says: 'The flavors of the CPU catalog have names in place of ids.',
    observed: 'nothing',
    wrap: onResponse(isCatalog, ({ text }) => ({ text: text.replaceAll('"id":', '"name":') })),
  }),
  defect('cpu-shows-its-model', 'pods.shape.cpu-flavor-listed', 'listed', {
    says: 'The id of a CPU is that of its model, not of its flavor.',
    observed: 'another flavor',
    change: shows(({ cpu, ...pod }) =>
      cpu === undefined ? pod : { ...pod, cpu: { ...membersOf(cpu), id: 'model-7' } },
    ),
  }),
  defect('gpu-count-default-two', 'pods.shape.gpu-count-default', 'one', {
    says: 'A pod that is created without gpu.count shows two GPUs.',
    observed: 'count 2',
    change: shows(({ gpu, ...pod }) => (gpu === undefined ? pod : { ...pod, gpu: { ...membersOf(gpu), count: 2 } })),
  }),
  defect('gpu-count-ignored', 'pods.shape.gpu-count-default', 'two', {
    says: 'Every GPU pod has one GPU, whatever its creation asks for.',
    observed: 'count 1',
    change: part('buildPod', (next, body) =>
      next(body.gpu === undefined ? body : { ...body, gpu: { ...body.gpu, count: 1 } }),
    ),
  }),
  defect('second-gpu-shows-text', 'pods.shape.runtime', 'runtime', {
    says: 'The memoryUtil of each GPU but the first is a text.',
    observed: 'runtime.gpus[].memoryUtil: "5"',
    tour: ['pods.shape.gpu-count-default'],
    change: shows((pod) => {
      const runtime = membersOf(pod.runtime)
      if (!Array.isArray(runtime?.gpus)) return pod
      const gpus = runtime.gpus.map((gpu, n) => (n === 0 ? gpu : { ...gpu, memoryUtil: '5' }))
      return { ...pod, runtime: { ...runtime, gpus } }
    }),
  }),
  defect('second-gpu-lost-by-patch', 'pods.shape.gpu-count-default', 'started', {
    says: 'A pod with two GPUs has one once it was patched.',
    observed: 'count 1',
    change: part('patchPod', (next, pod) => {
      next()
      const { hardware } = pod
      if ('gpu' in hardware) Object.assign(pod, { hardware: { gpu: { ...hardware.gpu, count: 1 } } })
    }),
  }),
  defect('second-gpu-lost-by-start', 'pods.shape.gpu-count-default', 'started', {
    says: 'A pod with two GPUs has one from the first start on.',
    observed: 'count 1',
    change: part('transition', (next, pod, action) => {
      next()
      const { hardware } = pod
      if (action === 'start' && 'gpu' in hardware)
        Object.assign(pod, { hardware: { gpu: { ...hardware.gpu, count: 1 } } })
    }),
  }),
  defect('template-appears', 'pods.shape.template-null', 'null', {
    says: 'A pod that was created from no template shows one after a minute.',
    observed: 'template "tpl-worker"',
    change: shows((pod, { createdAtMs }, { clock }) =>
      clock.now() < createdAtMs + 60_000 ? pod : { ...pod, template: 'tpl-worker' },
    ),
  }),
  defect('template-empty', 'pods.shape.template-null', 'null', {
    says: 'A pod that was created from no template has the template "".',
    observed: 'template ""',
    change: shows((pod) => ({ ...pod, template: '' })),
  }),
]

function isCatalog(request: Request): boolean {
  return request.url.includes('/catalog/')
}

function withPort(runtime: unknown): unknown {
  const live = membersOf(runtime)
  if (live === null || !Array.isArray(live.ports)) return runtime
  return { ...live, ports: [...live.ports, { private: 19_123, public: null, type: 'tcp', ip: null }] }
}

function earlier(moment: unknown, ms: number): unknown {
  return typeof moment === 'string' ? new Date(Date.parse(moment) - ms).toISOString() : moment
}

function uptime(other: (seconds: number) => number) {
  return part('presentRuntime', (next) => {
    const live = next()
    return live?.uptime === undefined ? live : { ...live, uptime: other(live.uptime) }
  })
}

/** Some starts of the container of a pod leave its uptime going: `when` gets the pod before it, and how often it was RUNNING by then. */
function keepsStart(when: (pod: StoredPod, times: number) => boolean): Change {
  const times = new WeakMap<StoredPod, number>()
  const begins = new WeakMap<StoredPod, number | null>()
  return part('enter', (next, pod, status) => {
    const count = times.get(pod) ?? 0
    const isKept = status === 'RUNNING' && count > 0 && when(pod, count)
    next()
    if (status !== 'RUNNING') return
    times.set(pod, count + 1)
    if (isKept) pod.containerStartedAtMs = begins.get(pod) ?? null
    else begins.set(pod, pod.containerStartedAtMs)
  })
}
