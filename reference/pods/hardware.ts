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
 * What a pod is to run on, with the defaults of the description applied.
 * @throws Refusal if the catalog does not offer it.
 */
export function chooseHardware({ gpu, cpu }: PodCreate, service: PodService): PricedHardware {
  if (gpu !== undefined) return chooseGpu(gpu, service)
  if (cpu !== undefined) return chooseCpu(cpu, service)
  const [first] = service.gpuTypes.keys()
  if (first === undefined) throw new Refusal(400, 'one of gpu and cpu is required')
  return chooseGpu({ id: first }, service)
}

function chooseGpu(gpu: GpuConfig, { gpuTypes, style, tables }: PodService): PricedHardware {
  const type = gpuTypes.get(gpu.id)
  if (type === undefined) throw new Refusal(style.unknownGpu, 'unknown gpu type')
  const count = gpu.count ?? tables.bounds.gpuCount.default
  return { hardware: { gpu: { id: gpu.id, count } }, price: roundPrice(type.pricePerHour * count) }
}

function chooseCpu(cpu: CpuConfigRequest, { flavors, style }: PodService): PricedHardware {
  const { vcpuCount, memory } = cpu
  const flavor = flavors.get(cpu.id)
  if (flavor === undefined) throw new Refusal(style.unknownFlavor, 'unknown cpu flavor')
  const { min, max } = flavor.vcpu
  if (vcpuCount < min || vcpuCount > max) {
    throw new Refusal(style.vcpuOffered, `the flavor offers ${min} to ${max} vCPUs`)
  }
  if (memory === undefined && style.cpuMemory === 'required') {
    throw new Refusal(422, 'Request validation failed.', { errors: ["$.cpu: must have required property 'memory'"] })
  }
  if (memory !== undefined && style.cpuMemory.startsWith('refused')) {
    throw new Refusal(style.cpuMemory === 'refused-400' ? 400 : 422, 'memory follows from the flavor and is not sent')
  }
  return {
    hardware: { cpu: { id: cpu.id, vcpuCount, memory: memory ?? Math.ceil(vcpuCount * flavor.ramGbPerVcpu) } },
    price: roundPrice(flavor.price.perVcpuHour * vcpuCount),
  }
}

/** To a hundredth of a cent. */
function roundPrice(price: number): number {
  return Math.round(price * 10_000) / 10_000
}
