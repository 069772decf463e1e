import type { Mix } from '../../target/types.ts'
import type { Verdict } from '../../verdicts/verdicts.ts'
import type { WaitEnd } from '../clock/types.ts'
import type { Exchange, WireRequest, WireResponse } from '../exchange/exchange.ts'
import type { Arrival } from '../receiver/types.ts'
import type { Finding } from '../rule/outcome.ts'
import type { Drawn } from '../variation/variation.ts'

/** Version of the evidence format; a reader refuses another one. */
export const evidenceFormat = 1

/** Body bytes in the record: text if they are UTF-8, else base64. A large body has its own file. */
export type RecordedBody = { readonly text: string } | { readonly base64: string } | { readonly file: string } | null

/** The first line of a record: everything that a replay needs besides the exchanges. */
export interface RunEvent {
  readonly type: 'run'
  readonly format: number
  /** Names the run in the User-Agent, in pods and on disk: `r` and ten characters of base 36. */
  readonly run: string
  readonly plumbline: string
  /** Beginning of the run, on the harness's own clock. */
  readonly startedMs: number
  /** The target file as it was named on the command line; null for the embedded reference. */
  readonly targetFile: string | null
  /** The shell command of Plumbline in the folder of the run; missing in records of earlier versions. */
  readonly program?: string
  /** Null if nothing is drawn because only load is judged. */
  readonly seed: number | null
  readonly clock: 'virtual' | 'remote' | 'real'
  readonly profiles: readonly string[]
  readonly strict: boolean
  /** Ids of the rules that were selected, sorted. */
  readonly rules: readonly string[]
  /** The folder of a vendor's own rules, as it was named; missing without any. */
  readonly rulesFolder?: string
  /** The flags that start the server of the target, quoted; missing without one. */
  readonly start?: string
  /** Rules that a budget left out beforehand; missing if there are none. */
  readonly leftOut?: readonly LeftOut[]
  /** True if the run draws what it can, because the target grants few requests in a long window; else missing. */
  readonly isSparing?: boolean
  /** Missing in a run without load. */
  readonly load?: LoadFacts
  /**
   * The command that shows the findings about exchanges of others again, which ran no scenario; empty if none does, missing in a run
   * of rules.
   */
  readonly traffic?: string
  readonly digests: {
    readonly suite: string
    readonly ledger: string
    readonly specification: string
    readonly target: string
  }
  /** The target file as it was understood, secrets as marks. */
  readonly target: unknown
}

/** Facts that the verdicts of load depend on, besides the target, the plans and their points. */
export interface LoadFacts {
  /** Ids of the selected rules that load judges, sorted. */
  readonly rules: readonly string[]
  /** Length of the target's windows as a share of the documented one. */
  readonly windowScale: number
  /** Version of the k6 that drives the plans. */
  readonly k6: string
  /** True if only one request of each operation is sent and nothing is judged. */
  readonly isSmoke: boolean
  /** Caps within which plans are driven again, alone; missing if there are none. */
  readonly maxRequests?: number
  readonly maxSeconds?: number
  /** Processes of k6 that others start, whose files of points complete the record; missing if the run starts k6 itself. */
  readonly processes?: number
  /** Load of all operations together, which judges no rule; missing for any other load. */
  readonly mixed?: MixedFacts
}

/** How all operations are loaded together. */
export interface MixedFacts {
  /** A soak compares its first windows with its last. */
  readonly kind: 'mixed' | 'soak'
  readonly forMs: number
  /** Load before that, while the number of jobs still grows. */
  readonly leadMs: number
  /** Proportions of operations. */
  readonly mix: Mix
  /** All operations together; fewer if a quota requires it. */
  readonly requestsPerSecond: number
}

/** A rule that a budget left out, with the reason. */
export interface LeftOut {
  readonly rule: string
  readonly reason: string
}

/** An exchange, its bodies as they are recorded. */
export interface ExchangeEvent extends Omit<Exchange, 'request' | 'response'> {
  readonly type: 'exchange'
  readonly request: Recorded<WireRequest>
  readonly response: Recorded<WireResponse> | null
}

type Recorded<Message> = Omit<Message, 'body'> & { readonly body: RecordedBody }

/** The end of a wait of one scenario. */
export interface ClockEvent extends WaitEnd {
  readonly type: 'clock'
}

/** An arrival at the receiver of the suite: a notification, a beacon, or something unexpected. */
export interface ArrivalEvent extends Omit<Arrival, 'request'> {
  readonly type: 'arrival'
  readonly request: ExchangeEvent['request']
}

/** A hook of a recipe was run for a pod. `failure` is the reason if it failed, else null. */
export interface HookEvent {
  readonly type: 'hook'
  readonly owner: string
  /** Its number among the hooks of its owner, from 1. */
  readonly hook: number
  readonly pod: string
  readonly status: string
  readonly failure: string | null
}

/** A reading: an alternative that was seen where the description is open. */
interface ReadingEvent {
  readonly type: 'reading'
  readonly rule: string
  readonly name: string
  readonly value: string
}

export interface FindingEvent extends Finding {
  readonly type: 'finding'
  readonly rule: string
}

export interface VerdictEvent {
  readonly type: 'verdict'
  readonly rule: string
  readonly verdict: Verdict
  /** The reason, unless the verdict is passed, observed, failed or advice. */
  readonly reason: string | null
  /** The rule or fixture that blocked it. */
  readonly by: string | null
  /** Number of exchanges that exercised it. */
  readonly exchanges: number
  readonly clauses: readonly string[]
  /** Drawn values, by dimension; missing in records of earlier versions. */
  readonly variation?: Drawn
  /** On the target's clock, ms of the Unix epoch; null if the rule never ran. */
  readonly startedMs: number | null
  readonly endedMs: number | null
}

/** A rule that the run ended before its verdict, or never began. A replay ends it too. */
export interface CutEvent extends LeftOut {
  readonly type: 'cut'
  readonly verdict: Verdict
  /** The rule that blocked it; left out if the verdict is another one. */
  readonly by?: string
}

/** A rule that a budget had left out was run after all, because time was left. */
interface AddedEvent {
  readonly type: 'added'
  readonly rule: string
}

/** An owner did not go on because of what others had seen. Not related to `known` of the target file. A replay does not see that in time, and takes it from here. */
export interface KnownEvent {
  readonly type: 'known'
  readonly owner: string
  /** Its number among the decisions of its owner that depend on others, from 1. */
  readonly n: number
  readonly reason: string
  /** The rule whose failure it is; left out if nothing failed, such as for a lack of capacity. */
  readonly by?: string
}

/** A response of /health. */
export interface Health {
  readonly status: number
  readonly body: unknown
}

/** A plan of load that was driven; its points are in a file beside the record. */
export interface PlanEvent {
  readonly type: 'plan'
  /** Position and name, such as `04-cancel-over`. */
  readonly plan: string
  /** The raw points of k6: path below the folder of the record, and SHA-256 of the file. */
  readonly points: { readonly file: string; readonly digest: string }
  /** Number of requests in the file. */
  readonly requests: number
  /** /health before and after the plan, which shows how many workers ran; empty on the pod API. */
  readonly health: readonly Health[]
  /** Remarks on how it was driven, one sentence each. */
  readonly notes: readonly string[]
  /** Set if other plans were driven meanwhile. */
  readonly beside?: boolean
  /** Missing in records of older versions. */
  readonly perSecond?: PerSecond
}

/** The requests of a plan by the second in which they were sent, from the first request on. */
export interface PerSecond {
  /** Those that succeeded, those with 429, and all others. */
  readonly served: readonly number[]
  readonly refused: readonly number[]
  readonly other: readonly number[]
  /** Requests per second that the limit of the plan permits; null without such a limit. Only requests to it are counted. */
  readonly limit: number | null
}

/** A plan of load that could not be driven; the plans of its plane that would follow it were not driven either. */
export interface BrokenOffEvent {
  readonly type: 'broken-off'
  readonly plan: string
  readonly reason: string
}

/** The end of the run. A record without it is of a run that was cut short. */
export interface EndEvent {
  readonly type: 'end'
  /** End of the run, on the harness's own clock. */
  readonly endedMs: number
  /** Time that passed on the target's clock, ms. */
  readonly passedMs: number
  readonly exchanges: number
  /** Set if the run could not start: exit code and reason. */
  readonly stopped: { readonly exit: number; readonly message: string } | null
  /** How the server of `--start` failed during the run; missing if it did not. */
  readonly serverEnd?: string
}

/** The events that the judging of a rule adds to the record. */
export type JudgedEvent = ReadingEvent | FindingEvent | VerdictEvent

export type EvidenceEvent =
  | RunEvent
  | ExchangeEvent
  | ArrivalEvent
  | ClockEvent
  | HookEvent
  | ReadingEvent
  | FindingEvent
  | VerdictEvent
  | CutEvent
  | AddedEvent
  | KnownEvent
  | PlanEvent
  | BrokenOffEvent
  | EndEvent

const judged: ReadonlySet<EvidenceEvent['type']> = new Set<JudgedEvent['type']>(['reading', 'finding', 'verdict'])

export function isJudged(event: EvidenceEvent): event is JudgedEvent {
  return judged.has(event.type)
}
