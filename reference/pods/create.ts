import type { PodCreate } from '../../generated/api.ts'
import type { Caller } from '../auth/accounts.ts'
import { Refusal } from '../http/refusal.ts'
import { chooseHardware } from './hardware.ts'
import { provision } from './lifecycle.ts'
import { choosePlacement } from './placement.ts'
import type { StoredPod } from './pod.ts'
import type { PodService } from './service.ts'

/** The container disk of a pod that asks for none, in GB. */
const DEFAULT_DISK_GB = 20

/**
 * Creates a pod of a body.
 * @throws Refusal if the body fails validation, or as `buildPod` does.
 */
export function createPod(body: unknown, caller: Caller, service: PodService): StoredPod {
  service.parts.validate('PodCreate', body, service)
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
    template: null,
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
  }
}

/** @throws Refusal 400 if as many pods hold compute as there is capacity for. */
export function checkCapacity({ capacity, store }: PodService): void {
  if (capacity === null) return
  let held = 0
  for (const { status } of store.all()) if (status !== 'EXITED' && status !== 'TERMINATED') held++
  if (held >= capacity) throw new Refusal(400, 'no capacity')
}
