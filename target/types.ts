import type { OperationOf } from '../generated/operations.ts'
import type { PodOperation } from '../harness/exchange/exchange.ts'

/** The keys of a run; `altered` is in no target file: the full key with its end exchanged, which nobody was ever given. */
export type KeyName = 'full' | 'second' | 'restricted' | 'expired' | 'stranger' | 'altered'

export type PodStatus = 'PROVISIONING' | 'STARTING' | 'RUNNING' | 'EXITED' | 'ERROR' | 'TERMINATED'

export type MountKind = 'none' | 'network' | 'persistent'

/** What a restricted key was granted at its creation: names of operations, actions as `start`, `stop`, `restart`, `terminate`. */
export interface Grants {
  readonly may: readonly string[]
  readonly mayNot: readonly string[]
}

/** What brings a pod into a status from outside the API: a command and its words, or an address that is called. */
export type Hook = ({ readonly command: readonly string[] } | { readonly url: string }) & {
  /** Those of its texts that came from the environment; missing where none did. */
  readonly secrets?: readonly string[]
}

/**
 * How to bring a pod into a status: more members for the creation body, the actions to take once it is RUNNING, and a
 * hook that is run after them.
 */
export interface Recipe {
  readonly body: Readonly<Record<string, unknown>>
  readonly actions: readonly string[]
  readonly hook: Hook | null
}

/** A failure that is known and accepted until a day. */
export interface KnownFailure {
  readonly rule: string
  readonly clause: string | null
  readonly reason: string
  /** The last day on which it is accepted, as YYYY-MM-DD. */
  readonly expires: string
}

/**
 * The named numbers of a run, all with their unit; a target file may set each one (`docs/target-file.md`).
 */
export interface Tolerances {
  /** How long a pod may take to settle in a status, ms on the target's clock. */
  readonly settleMs: number
  /** First pause between two looks at a pod; it doubles up to four times this. */
  readonly pollMs: number
  /** How long a write may take to be visible in a read, ms. */
  readonly visibleMs: number
  /** Slack on t of a rate window, seconds. */
  readonly windowSlackS: number
  /** Real ms to wait for a whole answer. */
  readonly answerMs: number
  /** Real ms to wait for a connection. */
  readonly connectMs: number
  /** The longest that a run waits for a rate window, ms on the target's clock; beyond it: inconclusive. */
  readonly rateWaitMs: number
  /** How long an endpoint without a free worker may take to have one, ms on the target's clock. */
  readonly coldStartMs: number
  /** How long a free worker may take to begin with a job, and the end of a job to be seen, ms. */
  readonly dispatchMs: number
  /** How soon after a job's end its first notification is due, ms. */
  readonly webhookMs: number
  /** By how much the time between two attempts of a notification may be off, ms. */
  readonly webhookSpacingMs: number
  /** By how much the mean time between attempts of several notifications may be off, ms. */
  readonly webhookMeanMs: number
  /** How long a gateway may answer one operation in place of the API while others are answered, ms. */
  readonly outageMs: number
  /** How long the automatic retries of a job may take together, ms. */
  readonly retriesMs: number
  /** How long a hook may take, real ms. */
  readonly hookMs: number
  /** How late a ttl, a retention or an executionTimeout may be carried out, ms. */
  readonly sweepMs: number
}

/** The fields of a pod that a PATCH may change without harm. */
export type ChangeField = 'name' | 'args' | 'env'

/** What every plane has in a target: its base address, and a template of the path of each operation. */
export interface PlaneSection {
  readonly url: string
  readonly paths: Readonly<Record<string, string>>
}

/** The pod plane of a target. Present kinds of pod are claims; null is unclaimed unless `absent` says why. */
export interface PodPlane {
  readonly url: string
  readonly paths: Readonly<Record<PodOperation, string>>
  /** Member of the list answer that holds the pods; empty where the answer is the array itself. */
  readonly listAt: string
  /** Member of the catalog answer that holds the flavors; empty where the answer is the array itself. */
  readonly flavorsAt: string
  readonly image: string
  /** More members for every creation body. */
  readonly extra: Readonly<Record<string, unknown>>
  readonly gpu: Readonly<Record<string, unknown>> | null
  /** `catalog` takes the first flavor that the catalog lists. */
  readonly cpu: Readonly<Record<string, unknown>> | 'catalog' | null
  /** Whether the CPU catalog is listed. */
  readonly catalog: boolean
  readonly persistent: { readonly size: number; readonly path: string } | null
  readonly volume: string | null
  readonly volumeSecond: string | null
  /** A volume in another data center than `volume`. */
  readonly volumeElsewhere: string | null
  readonly volumePath: string
  readonly recipes: Readonly<Partial<Record<PodStatus, Recipe>>>
  /** The field by which PATCH changes a pod harmlessly; null where PATCH changes nothing but mounts. */
  readonly change: ChangeField | null
  /** A pattern for texts that tell of want of capacity. */
  readonly capacity: string
}

/** The part that an endpoint plays for the rules; several parts may be one endpoint's. */
export type EndpointRole =
  | 'normal'
  | 'dedicated'
  | 'second'
  | 'twoWorkers'
  | 'scaleToZero'
  | 'executionTimeout'
  | 'noExecutionTimeout'

/** The operations of the queue plane, each with a path. */
export type QueuePath = OperationOf<'queue'>

/** How the answers of /stream are read. */
export interface StreamForm {
  /** Member that holds the list of partial results. */
  readonly at: string
  /** Member of an entry that holds the partial result; empty where the entry is the result itself. */
  readonly outputAt: string
  /** `new`: each answer holds what came since the last one; `cumulative`: all of it. */
  readonly form: 'new' | 'cumulative'
}

/** The members of a /health answer that hold its counts, each as a path with points. */
export interface HealthPaths {
  readonly inQueue: string
  readonly inProgress: string
  readonly completed: string
  readonly failed: string
  readonly workers: string
}

/** The queue plane of a target. Ids of endpoints are claims; null is unclaimed unless `absent` says why. */
export interface QueuePlane {
  readonly url: string
  /** Templates: `{endpoint}` and `{job}` stand for ids, `{route}` for what follows /openai. */
  readonly paths: Readonly<Record<QueuePath, string>>
  readonly endpoints: { readonly normal: string } & Readonly<Record<Exclude<EndpointRole, 'normal'>, string | null>>
  /** What the endpoint `executionTimeout` is set to, ms; null where there is none. */
  readonly executionTimeoutMs: number | null
  /** Whether the conformance worker is deployed on the endpoints. */
  readonly worker: boolean
  /** How many jobs the normal endpoint may execute at once. */
  readonly workers: number
  /** Requests a window that each running worker adds; null where it is not known. */
  readonly perWorkerRate: number | null
  readonly stream: StreamForm | null
  readonly health: HealthPaths
  readonly requests: boolean
  readonly openai: boolean
}

/** Where the target reaches the suite: notifications and the beacons of workers. */
export interface ReceiverAddress {
  /** Host and port to listen on; port 0 takes any. */
  readonly listen: string
  /** The address by which the target reaches it, without a slash at the end; empty until it listens. */
  readonly url: string
}

/** What a run may use at once. */
export interface Budget {
  /** How many scenarios about pods run beside each other. */
  readonly scenarios: number
  /** Requests a minute that the account is granted on the pod API; null where it is not said. */
  readonly requestsPerMinute: number | null
  /** What a job costs at most, USD; null where it is not said. */
  readonly jobPrice: number | null
  /** What the dearest of the pods of a run costs an hour, USD; null where it is not said. */
  readonly podPricePerHour: number | null
}

/** A target file as it is understood: every default filled in, secrets still in place. Written to records with marks. */
export interface Target {
  readonly name: string
  readonly pods: PodPlane | null
  readonly queue: QueuePlane | null
  readonly receiver: ReceiverAddress | null
  readonly keys: Readonly<Partial<Record<KeyName, string>>>
  readonly grants: Grants
  /** Needs that the target declares absent, each with the reason. */
  readonly absent: Readonly<Record<string, string>>
  readonly clock: { readonly url: string } | 'real'
  readonly tolerances: Tolerances
  readonly budget: Budget
  readonly known: readonly KnownFailure[]
}

/** What opening a target gives: a value to call in process, and its clock. */
export interface EmbeddedTarget {
  fetch(request: Request): Promise<Response>
  readonly control: import('../harness/clock/types.ts').ClockControl
  readonly target: Target
  /** Tells the target what its notifications and beacons reach; left out where it reaches nobody. */
  reach?(receive: (request: Request) => Promise<Response>): void
}
