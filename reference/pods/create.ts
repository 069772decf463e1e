import type { CpuConfigRequest, GpuConfig, PodCreate } from '../../generated/api.ts'
import type { Caller } from '../auth/accounts.ts'
import { Refusal } from '../http/refusal.ts'
import { isUnpullable, provision } from './lifecycle.ts'
import type { Hardware, StoredPod } from './pod.ts'
import type { PodService } from './service.ts'

/** The container disk of a pod that asks for none, in GB. */
const DEFAULT_DISK_GB = 20

/** Hardware and its price in USD an hour. */
interface PricedHardware {
  readonly hardware: Hardware
  readonly price: number
}

/**
 * Creates a pod of a body.
 * @throws Refusal if the body fails validation, or as `buildPod` does.
 */
export function createPod(body: unknown, caller: Caller, service: PodService): StoredPod {
  service.parts.validate('PodCreate', body, service)
  const { unpullable } = service.style
  if (typeof unpullable === 'number' && isUnpullable(body as PodCreate)) throw new Refusal(unpullable, 'unknown image')
  const pod = service.parts.buildPod(body as PodCreate, caller, service)
  service.store.add(pod)
  provision(pod, service)
  return pod
}

/**
 * Makes a pod of a body that its schema accepts, with every default applied; stores nothing yet.
 * @throws Refusal if something that the body asks for is not on offer, or there is no capacity.
 */
export function buildPod(body: PodCreate, caller: Caller, service: PodService): StoredPod {
  const { clock, ids } = service
  const { hardware, price } = chooseHardware(body, service)
  const dataCenterId = choosePlacement(body, caller, service)
  checkCapacity(service)
  const n = service.nextNumber()
  return {
    id: ids(n),
    n,
    user: caller.user,
    cloud: body.cloud ?? 'SECURE',
    hardware,
    price,
    dataCenterId,
    template: chooseTemplate(body, service),
    createdAtMs: clock.now(),
    name: body.name,
    status: 'PROVISIONING',
    image: body.image,
    args: body.args ?? '',
    disk: body.disk ?? DEFAULT_DISK_GB,
    ports: (body.ports ?? []).map(String),
    env: body.env ?? {},
    registry: body.registry ?? null,
    mounts: body.mounts ?? {},
    locked: false,
    globalNetworking: body.globalNetworking ?? false,
    startedAtMs: null,
    containerStartedAtMs: null,
    pending: null,
    container: null,
    startedWith: null,
    diskNumber: 0,
    isDiskKept: false,
  }
}

/** @throws Refusal 400 if as many pods hold compute as there is capacity for. */
export function checkCapacity({ capacity, store }: PodService): void {
  if (capacity === null) return
  let held = 0
  for (const { status } of store.all()) if (status !== 'EXITED' && status !== 'TERMINATED') held++
  if (held >= capacity) throw new Refusal(400, 'no capacity')
}

/**
 * The hardware of a pod, with the defaults of the description applied.
 * @throws Refusal if the catalog does not offer it.
 */
function chooseHardware(body: PodCreate, service: PodService): PricedHardware {
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

/** @throws Refusal if the template is unknown. */
function chooseTemplate({ template = null }: PodCreate, { templates }: PodService): string | null {
  if (template !== null && !templates.has(template)) throw new Refusal(400, 'unknown template')
  return template
}

/** To a hundredth of a cent. */
function roundPrice(price: number): number {
  return Math.round(price * 10_000) / 10_000
}

/**
 * The data center of a new pod: that of its network volume, else the first one asked for, else the first of all.
 * @throws Refusal if a volume or a data center is unknown, or the volume is in none of those asked for.
 */
function choosePlacement(body: PodCreate, caller: Caller, service: PodService): string {
  const { dataCenterIds, mounts } = body
  const { dataCenters, parts, style, volumes } = service
  const asked = dataCenterIds ?? []
  if (!asked.every((id) => dataCenters.includes(id)) && parts.enforces('unknownDataCenter', body)) {
    throw new Refusal(style.unknownDataCenter, 'unknown data center')
  }
  const volumeId = mounts?.network?.[0]?.volumeId
  // One that is no text is wrong for its form, and the validation has told.
  if (typeof volumeId !== 'string') return asked[0] ?? dataCenters[0]
  const volume = volumes.get(volumeId)
  if (volume === undefined || volume.user !== caller.user) {
    if (parts.enforces('unknownVolume', body)) throw new Refusal(style.unknownVolume, 'unknown volume')
    return asked[0] ?? dataCenters[0]
  }
  const isElsewhere = asked.length > 0 && !asked.includes(volume.dataCenterId)
  if (isElsewhere && style.volumeElsewhere !== 'volume-wins') {
    if (!parts.enforces('volumeElsewhere', body)) return asked[0] ?? dataCenters[0]
    throw new Refusal(style.volumeElsewhere, 'the volume is in none of the data centers asked for')
  }
  return volume.dataCenterId
}
