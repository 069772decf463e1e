import type { PodGlobalNetworking } from '../../generated/api.ts'
import type { Style } from '../style.ts'
import { actionsOf } from './act.ts'
import type { Pod, StoredPod } from './pod.ts'
import type { PodService } from './service.ts'
import { renderTime } from './times.ts'

/** A pod as every answer shows it: all required fields of the heading Pod, and gpu or cpu. */
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

function presentHardware({ hardware }: StoredPod, style: Style): Pick<Pod, 'gpu' | 'cpu'> {
  const extra = style.extraFields ? { displayName: 'Some hardware' } : {}
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
  const host = pod.n + 1
  const ip = `10.${(host >> 16) & 255}.${(host >> 8) & 255}.${host & 255}`
  return { enabled: true, ip, internalDns: `${pod.id}.pods.internal` }
}
