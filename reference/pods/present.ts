import type { PodGlobalNetworking, PodRuntime } from '../../generated/api.ts'
import { encode } from '../http/json.ts'
import type { Style } from '../style.ts'
import { actionsOf } from './lifecycle.ts'
import { networkOf, presentPort } from './network.ts'
import type { Pod, StoredPod } from './pod.ts'
import type { PodService } from './service.ts'

/** More GPUs than these are not listed one by one. */
const LISTED_GPUS = 16
const HOUR_MS = 3_600_000

/** The fields of a pod that can change; each is replaced as a whole, never changed in place. */
const CHANGING = [
  'status',
  'name',
  'image',
  'args',
  'disk',
  'ports',
  'env',
  'registry',
  'mounts',
  'locked',
  'globalNetworking',
  'startedAtMs',
] as const satisfies readonly (keyof StoredPod)[]

/** A pod as every response shows it: all required fields of the heading Pod, and gpu or cpu. */
export function presentPod(pod: StoredPod, service: PodService): Pod {
  const { parts, style } = service
  const shown: Pod = {
    id: pod.id,
    name: pod.name,
    status: pod.status,
    actions: actionsOf(pod, service),
    image: pod.image,
    args: pod.args,
    disk: pod.disk,
    ports: [...pod.ports],
    env: style.extraEnv ? { POD_ID: pod.id, ...pod.env } : pod.env,
    registry: pod.registry,
    mounts: pod.mounts,
    ...presentHardware(pod, style),
    cloud: pod.cloud,
    dataCenterId: isPlaced(pod, style) ? pod.dataCenterId : null,
    template: pod.template,
    cost: isCharged(pod, style) ? pod.price : 0,
    locked: pod.locked,
    globalNetworking: presentNetwork(pod, style),
    runtime: parts.presentRuntime(pod, service),
    createdAt: renderTime(pod.createdAtMs, style.dateTimes),
    startedAt: pod.startedAtMs === null ? null : renderTime(pod.startedAtMs, style.dateTimes),
  }
  const whole = style.extraFields ? Object.assign(shown, { region: 'region-1', labels: {} }) : shown
  return style.memberOrder === 'declared' ? whole : (Object.fromEntries(Object.entries(whole).reverse()) as Pod)
}

function presentHardware({ hardware, startedAtMs, status }: StoredPod, style: Style): Pick<Pod, 'gpu' | 'cpu'> {
  const usedSince = status === 'RUNNING' ? startedAtMs : null
  const extra = style.extraFields ? { displayName: 'Some hardware', usedSince } : {}
  return 'gpu' in hardware ? { gpu: { ...hardware.gpu, ...extra } } : { cpu: { ...hardware.cpu, ...extra } }
}

function isPlaced({ status }: StoredPod, style: Style): boolean {
  if (status === 'PROVISIONING') return style.provisioningDataCenter === 'assigned'
  if (status === 'EXITED') return style.exitedDataCenter === 'kept'
  return true
}

function isCharged({ status }: StoredPod, style: Style): boolean {
  if (status === 'EXITED' || status === 'TERMINATED') return false
  if (status === 'PROVISIONING' || status === 'STARTING') return style.costBeforeRunning === 'price'
  return status !== 'ERROR' || style.costInError === 'price'
}

function presentNetwork(pod: StoredPod, style: Style): PodGlobalNetworking {
  const isAssigned = style.networkAssigned === 'at-once' || pod.status === 'RUNNING'
  if (!pod.globalNetworking || !isAssigned) return { enabled: false }
  if (style.networkAddress === 'enabled-only') return { enabled: true }
  return { enabled: true, ...networkOf(pod) }
}

/** Live metrics, computed from the clock when they are read; null unless the pod is RUNNING (heading PodRuntime). */
export function presentRuntime(pod: StoredPod, service: PodService): PodRuntime | null {
  const { style } = service
  const uptime = uptimeOf(pod, service)
  if (uptime === null) return null
  if (style.runtimeParts === 'empty') return {}
  const runtime: PodRuntime = { uptime, cpu: { util: load(pod, uptime, 3) } }
  if (style.runtimeParts === 'full') {
    if ('gpu' in pod.hardware) runtime.gpus = gpusOf(pod, pod.hardware.gpu.count, uptime)
    runtime.memory = { util: load(pod, uptime, 5) }
    runtime.ports = pod.ports.map((entry, place) => presentPort(entry, place, pod, style.publicPorts === 'assigned'))
  }
  return style.extraFields ? Object.assign(runtime, { host: `host-${pod.n % 7}` }) : runtime
}

/** Whole seconds for which the container has run when it was measured last, on which all metrics depend; null without. */
function uptimeOf(pod: StoredPod, { clock, life }: PodService): number | null {
  if (pod.status !== 'RUNNING' || pod.containerStartedAtMs === null) return null
  const age = clock.now() - pod.containerStartedAtMs
  if (age < life.runtimeDelayMs) return null
  const measuredAge = life.runtimeCacheMs > 0 ? age - (age % life.runtimeCacheMs) : age
  return Math.floor(measuredAge / 1000)
}

function gpusOf(pod: StoredPod, count: number, uptime: number): NonNullable<PodRuntime['gpus']> {
  const gpus = []
  for (let gpu = 0; gpu < Math.min(count, LISTED_GPUS); gpu++) {
    gpus.push({ util: load(pod, uptime, 7 + gpu), memoryUtil: load(pod, uptime, 11 + gpu) })
  }
  return gpus
}

/** A percentage that differs between pods and meters and moves with time. */
function load(pod: StoredPod, uptime: number, meter: number): number {
  return (pod.n * 13 + uptime + meter * 17) % 101
}

/** A moment as RFC 3339 writes it, in one of the forms that it allows. */
function renderTime(atMs: number, form: Style['dateTimes']): string {
  const text = new Date(atMs).toISOString()
  switch (form) {
    case 'milliseconds':
      return text
    case 'seconds':
      return `${text.slice(0, -5)}Z`
    case 'microseconds':
      return `${text.slice(0, -1)}000Z`
    case 'offset':
      return `${text.slice(0, -1)}+00:00`
    case 'elsewhere':
      return `${new Date(atMs + 2 * HOUR_MS).toISOString().slice(0, -1)}+02:00`
    case 'lower-case':
      return text.toLowerCase()
  }
}

/**
 * A pod as JSON, as every response shows it. Clients poll a pod until it changes: until then, or until its metrics move, it
 * is not written again.
 */
export function podText(pod: StoredPod, service: PodService): string {
  const { parts, writtenPods } = service
  const isOriginal = parts.presentPod === presentPod && parts.presentRuntime === presentRuntime
  if (!isOriginal) return encode(parts.presentPod(pod, service), service)
  const uptime = uptimeOf(pod, service)
  const last = writtenPods.get(pod)
  if (last !== undefined && last.uptime === uptime && isSame(last.pod, pod)) return last.text
  const text = encode(presentPod(pod, service), service)
  writtenPods.set(pod, { text, pod: { ...pod }, uptime })
  return text
}

function isSame(a: StoredPod, b: StoredPod): boolean {
  for (const field of CHANGING) if (a[field] !== b[field]) return false
  return true
}
