import type { CpuConfigRequest, GpuConfig, PodCreate } from '../../generated/api.ts'
import { Refusal } from '../http/refusal.ts'
import type { Hardware } from './pod.ts'
import type { PodService } from './service.ts'

/** Hardware and its price in USD an hour. */
export interface PricedHardware {
  readonly hardware: Hardware
  readonly price: number
}

/**
 * The hardware of a pod, with the defaults of the description applied.
 * @throws Refusal if the catalog does not offer it.
 */
export function chooseHardware(body: PodCreate, service: PodService): PricedHardware {
  const { gpu, cpu } = body
  if (gpu !== undefined) return chooseGpu(gpu, body, service)
  if (cpu !== undefined) return chooseCpu(cpu, body, service)
  const [first] = service.gpuTypes.keys()
  if (first === undefined) throw new Refusal(400, 'one of gpu and cpu is required')
  return chooseGpu({ id: first }, body, service)
}

function chooseGpu(gpu: GpuConfig, body: PodCreate, { gpuTypes, parts, style, tables }: PodService): PricedHardware {
  const [first] = gpuTypes.values()
  const type = gpu.id === undefined ? first : gpuTypes.get(gpu.id)
  if (type === undefined && parts.enforces('unknownGpu', body)) {
    throw new Refusal(style.unknownGpu, 'unknown gpu type')
  }
  if (type?.isAvailable === false) throw new Refusal(400, 'no capacity')
  const count = gpu.count ?? tables.bounds.gpuCount.default
  return { hardware: { gpu: { id: gpu.id, count } }, price: roundPrice((type?.pricePerHour ?? 0) * count) }
}

function chooseCpu(cpu: CpuConfigRequest, body: PodCreate, service: PodService): PricedHardware {
  const { flavors, parts, style } = service
  const { vcpuCount, memory } = cpu
  const [first] = flavors.values()
  const asked = cpu.id === undefined || cpu.id === '' ? first : flavors.get(cpu.id)
  if (asked === undefined && parts.enforces('unknownFlavor', body)) {
    throw new Refusal(style.unknownFlavor, 'unknown cpu flavor')
  }
  const flavor = asked ?? first
  const { min = 0, max = 0 } = flavor?.vcpu ?? {}
  // Another count is wrong for its form, and the validation has told.
  const isPower = Number.isInteger(vcpuCount) && vcpuCount > 1 && Number.isInteger(Math.log2(vcpuCount))
  if (isPower && (vcpuCount < min || vcpuCount > max) && parts.enforces('vcpuOffered', body)) {
    throw new Refusal(style.vcpuOffered, `the flavor offers ${min} to ${max} vCPUs`)
  }
  if (memory === undefined && style.cpuMemory === 'required' && parts.enforces('memoryMissing', body)) {
    throw new Refusal(422, 'Request validation failed.', { errors: ["$.cpu: must have required property 'memory'"] })
  }
  if (memory !== undefined && style.cpuMemory.startsWith('refused') && parts.enforces('memoryGiven', body)) {
    throw new Refusal(style.cpuMemory === 'refused-400' ? 400 : 422, 'memory follows from the flavor and is not sent')
  }
  const derived = Math.ceil(vcpuCount * (flavor?.ramGbPerVcpu ?? 2))
  return {
    hardware: { cpu: { id: cpu.id, vcpuCount, memory: memory ?? derived } },
    price: roundPrice((flavor?.price.perVcpuHour ?? 0) * vcpuCount),
  }
}

/** To a hundredth of a cent. */
function roundPrice(price: number): number {
  return Math.round(price * 10_000) / 10_000
}
