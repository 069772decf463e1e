import type { PodRuntime, PodRuntimePort } from '../../generated/api.ts'
import type { StoredPod } from './pod.ts'
import { readPort } from './ports.ts'
import type { PodService } from './service.ts'

/** More GPUs than these are not listed one by one. */
const LISTED_GPUS = 16
const FIRST_PUBLIC_PORT = 20_000
const PUBLIC_PORTS = 40_000

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
export function uptimeOf(pod: StoredPod, { clock, life }: PodService): number | null {
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

/** Ports other than http are forwarded; http goes through a proxy and has no public number. */
function presentPort(entry: string, place: number, pod: StoredPod, isAssigned: boolean): PodRuntimePort {
  const { number, protocol } = readPort(entry)
  const isForwarded = isAssigned && protocol !== 'http'
  return {
    private: number,
    public: isForwarded ? FIRST_PUBLIC_PORT + ((pod.n * 31 + place) % PUBLIC_PORTS) : null,
    type: protocol,
    ip: isForwarded ? `192.0.2.${1 + (pod.n % 254)}` : null,
  }
}
