import type { OperationOf } from '../generated/operations.ts'
import type { TargetFile } from '../generated/target-file.ts'
import type { Tolerances } from './tolerances.ts'

type Pods = Exclude<TargetFile['pods'], string | undefined>
type Queue = NonNullable<TargetFile['queue']>
type Management = NonNullable<TargetFile['management']>

/** Forms of the full key that were never issued: with another ending, without its end, and in the other case. */
export type NearKeyName = 'altered' | 'shortened' | 'recased'

/** The keys of a run; those of the second kind are in no target file. */
export type KeyName = 'full' | 'second' | 'restricted' | 'expired' | 'stranger' | NearKeyName

export type PodStatus = 'PROVISIONING' | 'STARTING' | 'RUNNING' | 'EXITED' | 'ERROR' | 'TERMINATED'

export type MountKind = 'none' | 'network' | 'persistent'

/** Permissions of a restricted key: names of operations, actions as `start`, `stop`, `restart`, `terminate`, and planes. */
export interface Grants {
  readonly may: readonly string[]
  readonly mayNot: readonly string[]
}

/** Brings a pod into a status from outside the API: a command and its words, or an address that is called. */
export type Hook = ({ readonly command: readonly string[] } | { readonly url: string }) & {
  /** Its texts that came from the environment; missing if none did. */
  readonly secrets?: readonly string[]
}

/**
 * How to bring a pod into a status: more members for the creation body, the actions to take once it is RUNNING, and a
 * hook that runs after them.
 */
export interface Recipe {
  readonly body: Readonly<Record<string, unknown>>
  readonly actions: readonly string[]
  readonly hook: Hook | null
}

/** A known failure that is accepted until a date. */
export interface KnownFailure {
  readonly rule: string
  readonly clause: string | null
  readonly reason: string
  /** The last day on which it is accepted, as YYYY-MM-DD. */
  readonly expires: string
}

/** Fields of a pod that a PATCH can change without harm. */
export type ChangeField = NonNullable<Pods['change']>

/** Requirements of the network, as texts of PEM files; null for the usual authorities, and without a certificate of the client. */
export interface Network {
  readonly ca: string | null
  readonly certificate: { readonly cert: string; readonly key: string } | null
  /** More headers for each request to an API of the target. */
  readonly headers: Readonly<Record<string, string>>
}

/** The part of a target that every plane has. */
export interface PlaneSection {
  /** Base address; null for a plane that is not an HTTP API, such as a deployment tool. */
  readonly url: string | null
  /** A path template for each operation. */
  readonly paths: Readonly<Record<string, string>>
  /** Those of the network, if the plane is reached over it. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Something that creations of pods name, and the members of a body that do. */
export interface Named {
  readonly id: string
  readonly body: Readonly<Record<string, unknown>>
}

/** The pod plane of a target. Kinds of pod that are present are claimed; null is unclaimed unless `absent` says why. */
export interface PodSection extends Required<Pick<Pods, 'image' | 'extra' | 'catalog' | 'capacity'>> {
  readonly url: string
  readonly paths: Readonly<Record<OperationOf<'pods'>, string>>
  /** Member of the list response that holds the pods; empty if the response is the array itself. */
  readonly listAt: string
  /** Member of the catalog response that holds the flavors; empty if the response is the array itself. */
  readonly flavorsAt: string
  readonly gpu: Readonly<Record<string, unknown>> | null
  /** `catalog` takes the first flavor that the catalog lists. */
  readonly cpu: Readonly<Record<string, unknown>> | 'catalog' | null
  readonly persistent: { readonly size: number; readonly path: string } | null
  readonly volume: string | null
  readonly volumeSecond: string | null
  /** A volume in another data center than `volume`. */
  readonly volumeElsewhere: string | null
  readonly volumePath: string
  /** A registry credential that pods are created with, with the members of a creation body that name it. */
  readonly registry: Named | null
  /** A template that pods are created from, likewise. */
  readonly fromTemplate: Named | null
  /** Members of a creation body that give a pod a global address. */
  readonly networked: Readonly<Record<string, unknown>> | null
  /** Bodies of the PATCHes that lock a pod and unlock it. */
  readonly locked: Readonly<Record<'lock' | 'unlock', Readonly<Record<string, unknown>>>> | null
  readonly recipes: Readonly<Partial<Record<PodStatus, Recipe>>>
  /** A field that PATCH can change without harm; null if PATCH only changes mounts. */
  readonly change: ChangeField | null
}

/** The role of an endpoint in the rules; one endpoint may have several. */
export type EndpointRole = keyof Queue['endpoints']

/** The operations of the queue plane, each with a path. */
export type QueuePath = OperationOf<'queue'>

/** The form of /stream responses: a list of results at `at`, each at `outputAt`; `new` since the last response, or all. */
export type StreamForm = Required<Exclude<Queue['stream'], boolean | undefined>>

/** The members of a /health response that hold its counts, each as a path with dots. */
export type HealthPaths = Required<NonNullable<Queue['health']>>

/** Requests per window that each running worker adds: to the rate of every operation, or of those that are named. */
export type PerWorkerRate = NonNullable<Queue['perWorkerRate']>

/** The queue plane of a target. Endpoints with an id are claimed; null is unclaimed unless `absent` says why. */
export interface QueuePlane extends Required<Pick<Queue, 'worker' | 'workers' | 'requests' | 'openai'>> {
  readonly url: string
  /** Templates: `{endpoint}` and `{job}` are ids, `{route}` is the path after /openai. */
  readonly paths: Readonly<Record<QueuePath, string>>
  readonly endpoints: { readonly normal: string } & Readonly<Record<Exclude<EndpointRole, 'normal'>, string | null>>
  /** Execution timeout of the endpoint `executionTimeout`, ms; null without one. */
  readonly executionTimeoutMs: number | null
  readonly perWorkerRate: PerWorkerRate | null
  /** The input of jobs without steps; null if the endpoints take any input. */
  readonly input: Readonly<Record<string, unknown>> | null
  readonly stream: StreamForm | null
  readonly health: HealthPaths
}

/** The role of a load-balanced endpoint in the rules; `unknown` does not exist. */
export type LbRole = 'normal' | 'second' | 'unknown'

/** The load-balanced endpoints of a target, each with its address. Null is unclaimed unless `absent` says why. */
export interface LbPlane {
  /** The address of the normal endpoint. */
  readonly url: string
  readonly paths: Readonly<Record<OperationOf<'lb'>, string>>
  readonly endpoints: { readonly normal: string } & Readonly<Record<Exclude<LbRole, 'normal'>, string | null>>
  /** True if the conformance worker is deployed on the endpoints. */
  readonly worker: boolean
}

/** Endpoint management of a target. */
export interface ManagementPlane extends Required<Omit<Management, 'allowPlainHttp' | 'paths' | 'gpuUnavailable'>> {
  /** Templates: `{id}` is the endpoint. */
  readonly paths: Readonly<Record<OperationOf<'management'>, string>>
  readonly gpuUnavailable: string | null
}

/** The commands of a deployment tool. */
type DeployCommand = 'build' | 'deploy' | 'list' | 'remove' | 'call'

/** The deployment tool of a target: its commands, each a program and its words. */
export interface DeployPlane {
  readonly url: null
  readonly paths: Readonly<Record<string, string>>
  /** Without `call`, look-ups of addresses cannot be observed. */
  readonly commands: Readonly<Record<Exclude<DeployCommand, 'call'>, readonly string[]>> & {
    readonly call?: readonly string[]
  }
  /** Further environment variables of the commands: name to value. */
  readonly environment: Readonly<Record<string, string>>
  /** The names of those whose value came from the environment of the run. */
  readonly secrets: readonly string[]
  /** How long a command may take, real ms. */
  readonly limitMs: number
  /** Path of the manifest in a package. */
  readonly manifest: string
  /** A package of the base image; null if it is not given. */
  readonly preinstalled: string | null
  /** True if deployed endpoints run the conformance worker of the projects. */
  readonly worker: boolean
}

/** The probe: an image that reports what happens in its container. */
export interface ProbePlane {
  /** Each pod has an address of its own. */
  readonly url: null
  readonly paths: Readonly<Record<string, string>>
  readonly image: string
  /** Its entry in the ports of a pod, such as `8000/http`. */
  readonly port: string
  /** A template with `{id}` and `{port}`; null if the runtime of a pod shows the address. */
  readonly address: string | null
}

/** The listener for notifications and the beacons of workers. */
export interface ReceiverAddress {
  /** Host and port to listen on; port 0 takes any. */
  readonly listen: string
  /** The address at which the target reaches it, without a slash at the end; empty until it listens. */
  readonly url: string
}

/** Concurrency, quota and prices of a run. */
export interface Budget {
  /** Number of concurrent scenarios about pods. */
  readonly scenarios: number
  /** Requests per minute that the pod API grants the account; null if unknown. */
  readonly requestsPerMinute: number | null
  /** Highest price of a job, USD; null if unknown. */
  readonly jobPrice: number | null
  /** Highest price of a pod of the run per hour, USD; null if unknown. */
  readonly podPricePerHour: number | null
  /** Most pods that pods.create.fuzz makes of bodies that may be accepted: `check --max-pods`. Null: by the clock. */
  readonly fuzzPods: number | null
}

/** The requests of a load of all operations together, as the file has them. */
type MixedLoad = NonNullable<TargetFile['load']>

/** Proportions of operations. */
export type Mix = NonNullable<MixedLoad['mixed']>

/** A target file with every default filled in and secrets in place. Records get it with marks. */
export interface Target {
  readonly name: string
  readonly pods: PodSection | null
  readonly queue: QueuePlane | null
  readonly lb: LbPlane | null
  readonly management: ManagementPlane | null
  readonly deploy: DeployPlane | null
  /** The address of the published API document. */
  readonly openapi: PlaneSection | null
  readonly probe: ProbePlane | null
  readonly receiver: ReceiverAddress | null
  readonly network: Network
  readonly keys: Readonly<Partial<Record<KeyName, string>>>
  /**
   * The environment variables that the keys came from, by the name of their mark: `key.full` to `API_KEY`; '' for the
   * example key of the same name.
   */
  readonly variables: Readonly<Record<string, string>>
  readonly grants: Grants
  /** Needs that the target declares absent, each with the reason. */
  readonly absent: Readonly<Record<string, string>>
  readonly clock: { readonly url: string } | 'real'
  readonly tolerances: Tolerances
  readonly budget: Budget
  readonly known: readonly KnownFailure[]
  /** Missing if the file does not have it. */
  readonly load?: MixedLoad
}
