import { type OperationOf, operationsOf, type PlaneName } from '../generated/operations.ts'
import type { Budget, DeployPlane, Grants, HealthPaths, ManagementPlane, PodPlane, StreamForm } from './types.ts'

/** The paths of the document; the description shows the action call alone, the others of the pod API are inferred. */
export const defaultPaths = pathsOf('pods')

/** Defaults of the pod plane. */
export const defaultPlane: Omit<PodPlane, 'url' | 'paths'> = {
  listAt: 'pods',
  flavorsAt: 'cpus',
  // Small, public, and a process that runs until it is stopped: a pod of it stays RUNNING.
  image: 'nginx:1.29-alpine',
  extra: {},
  // GPU types have no listing in the description, so none can be guessed.
  gpu: null,
  // CPU flavors are listed: the first one needs no line in the file.
  cpu: 'catalog',
  catalog: true,
  persistent: null,
  volume: null,
  volumeSecond: null,
  volumeElsewhere: null,
  volumePath: '/workspace',
  recipes: {},
  // The description does not say which fields PATCH takes beside mounts; a name is the safest.
  change: 'name',
  capacity: capacityTexts(),
}

/** The description puts them below /v2/{endpoint_id}. */
export const defaultQueuePaths = pathsOf('queue')

/** The forms that the description does not show. */
export const defaultStream: StreamForm = { at: 'stream', outputAt: 'output', form: 'new' }
export const defaultHealth: HealthPaths = {
  inQueue: 'jobs.inQueue',
  inProgress: 'jobs.inProgress',
  completed: 'jobs.completed',
  failed: 'jobs.failed',
  workers: 'workers',
}

/** Defaults of endpoint management. */
export const defaultManagement: Omit<ManagementPlane, 'url' | 'paths' | 'template'> = {
  listAt: '',
  extra: {},
  gpus: [],
  gpuUnavailable: null,
  worker: false,
  // The rule that needs most needs two; a third lets others run beside it.
  workers: 3,
  idleUnit: 's',
  // 5s: few platforms have a longer minimum, and rules wait for it.
  idleTimeout: 5,
  workersMax: 1_000,
  standardQuota: false,
  exclusive: false,
}

/** Defaults of the deployment tool. */
export const defaultDeploy: Omit<DeployPlane, 'url' | 'paths' | 'commands' | 'environment' | 'secrets'> = {
  // 10m: a package of 1.4 GB is packed in a minute and uploaded in a few.
  limitMs: 600_000,
  manifest: 'manifest.json',
  preinstalled: null,
  worker: false,
}

/** A load-balanced endpoint serves every path. */
export const defaultLbPaths = pathsOf('lb')

/** Defaults of the queue plane. */
export const defaultQueue = {
  worker: false,
  // Concurrent jobs of the smallest endpoint in common use.
  workers: 3,
  perWorkerRate: null,
  input: null,
  requests: false,
  openai: false,
}

/** 16 concurrent scenarios about pods. Each has one to five pods at once, those with generated bodies up to 11. */
export const defaultBudget: Budget = {
  scenarios: 16,
  requestsPerMinute: null,
  jobPrice: null,
  podPricePerHour: null,
  fuzzPods: null,
}

/** A restricted key without grants may only read. */
export const defaultGrants: Grants = {
  may: ['listPods', 'getPod'],
  mayNot: ['createPod', 'updatePod', 'deletePod', 'start', 'stop', 'restart', 'terminate', 'management', 'lb'],
}

function capacityTexts(): string {
  const want = '(no|not enough|insufficient|out of|lack of|exhausted|unavailable)'
  const thing = '(capacity|instances?|machines?|hosts?|resources?|stock|gpus?|cpus?)'
  return `${want}\\b.{0,40}\\b${thing}|${thing}\\b.{0,40}\\b(unavailable|not available|exhausted|insufficient)`
}

function pathsOf<Plane extends PlaneName>(plane: Plane): { readonly [O in OperationOf<Plane>]: string } {
  const paths = Object.entries<{ path: string }>(operationsOf(plane)).map(([name, { path }]) => [name, path])
  return Object.fromEntries(paths)
}
