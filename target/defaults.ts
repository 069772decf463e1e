import { type OperationOf, operationsOf, type PlaneName } from '../generated/operations.ts'
import type {
  Budget,
  DeployPlane,
  Grants,
  HealthPaths,
  ManagementPlane,
  PodPlane,
  StreamForm,
  Tolerances,
} from './types.ts'

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

/** The one table of tolerances: each with the reason for its number. */
export const defaultTolerances: Tolerances = {
  // 120s: a first pull of a small image on a cold host takes a minute and more.
  settleMs: 120_000,
  // 500ms: quick enough to meet STARTING on most platforms, slow enough for a quota of 60 requests a minute with pacing.
  pollMs: 500,
  // 10s: caches in front of a list are commonly that old.
  visibleMs: 10_000,
  // 1s: t is whole seconds, and rounding goes either way.
  windowSlackS: 1,
  // 30s: proxies give up on a response after 30 to 60 s.
  answerMs: 30_000,
  // 5s: three lost SYN packets.
  connectMs: 5_000,
  // 3m: two windows of a minute and slack; an hour's window is not waited out.
  rateWaitMs: 180_000,
  // 2m: a worker pulls its image and loads its model before it takes the first job.
  coldStartMs: 120_000,
  // 2s: workers commonly ask for jobs once a second, and report as often.
  dispatchMs: 2_000,
  // 5s: notifications commonly leave from a separate queue that is polled every few seconds.
  webhookMs: 5_000,
  // 5s: attempts at 0, 5 and 20 s were seen where 10 s apart was promised; they come from such a queue too.
  webhookSpacingMs: 5_000,
  // 2s: a fifth of the 10 s; early and late attempts of a queue that is polled every few seconds even out.
  webhookMeanMs: 2_000,
  // 60s: instances of a service that restarts are replaced one by one within a minute.
  outageMs: 60_000,
  // 4m: two executions more, each with a cold start.
  retriesMs: 240_000,
  // 60s: a hook may have to reach a host of the platform and wait for it.
  hookMs: 60_000,
  // 10s: what is over is commonly swept every few seconds.
  sweepMs: 10_000,
}

/** The least that each tolerance may be, ms, by its name in the target file. */
export const leastTolerancesMs = {
  ...{ settle: 1, poll: 10, visible: 0, windowSlack: 0, answer: 100, connect: 100, rateWait: 0, coldStart: 0 },
  ...{ dispatch: 0, webhook: 0, webhookSpacing: 0, webhookMean: 0, outage: 0, retries: 0, hook: 100, sweep: 0 },
}

export type ToleranceName = keyof typeof leastTolerancesMs

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
  mayNot: ['createPod', 'updatePod', 'deletePod', 'start', 'stop', 'restart', 'terminate'],
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
