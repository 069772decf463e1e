import type { WaitEnd } from '../clock/types.ts'
import type { Exchange, WireRequest, WireResponse } from '../exchange/exchange.ts'
import type { Arrival } from '../receiver/types.ts'
import type { Finding, Verdict } from '../rule/outcome.ts'
import type { Drawn } from '../variation/variation.ts'

/** Version of the evidence format; a reader refuses another one. */
export const evidenceFormat = 1

/** Body bytes in the record: as text where they are UTF-8, else base64; a large body lies in a file of its own. */
export type RecordedBody = { readonly text: string } | { readonly base64: string } | { readonly file: string } | null

/** The first line of a record: all that a replay needs beside the exchanges. */
export interface RunEvent {
  readonly type: 'run'
  readonly format: number
  readonly run: string
  readonly plumbline: string
  /** When it began, on the harness's own clock. */
  readonly startedMs: number
  /** The target file as it was named on the command line; null for the embedded reference. */
  readonly targetFile: string | null
  /** Null if nothing is drawn because only load is judged. */
  readonly seed: number | null
  readonly clock: 'virtual' | 'remote' | 'real'
  readonly profiles: readonly string[]
  readonly strict: boolean
  /** Ids of the rules that were selected, sorted. */
  readonly rules: readonly string[]
  /** Rules that a budget left out beforehand; missing where there is none. */
  readonly leftOut?: readonly LeftOut[]
  /** Missing in a run without load. */
  readonly load?: LoadFacts
  readonly digests: {
    readonly suite: string
    readonly ledger: string
    readonly specification: string
    readonly target: string
  }
  /** The target file as it was understood, secrets as marks. */
  readonly target: unknown
}

/** What the verdicts of load depend on beside the target, the plans and their points. */
export interface LoadFacts {
  /** Ids of the selected rules that load judges, sorted. */
  readonly rules: readonly string[]
  /** Length of the target's windows as a share of the documented one. */
  readonly windowScale: number
  /** Version of the k6 that drives the plans. */
  readonly k6: string
  /** True if only one request of each operation is sent and nothing is judged. */
  readonly isSmoke: boolean
}

/** A rule that a budget left out, and why. */
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

/** What came to the receiver of the suite: a notification, a beacon, or something unexpected. */
export interface ArrivalEvent extends Omit<Arrival, 'request'> {
  readonly type: 'arrival'
  readonly request: ExchangeEvent['request']
}

/** A hook of a recipe was run for a pod; `failure` says why it did not do its work, null where it did. */
export interface HookEvent {
  readonly type: 'hook'
  readonly owner: string
  /** Which hook of its owner it was, from 1. */
  readonly hook: number
  readonly pod: string
  readonly status: string
  readonly failure: string | null
}

/** What was seen where the description is open. */
export interface ReadingEvent {
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
  /** Why, where the verdict is none of passed, observed, failed, advice. */
  readonly reason: string | null
  /** The rule or fixture that blocked it. */
  readonly by: string | null
  /** How many exchanges exercised it. */
  readonly exchanges: number
  readonly clauses: readonly string[]
  /** What was drawn for it, by dimension; missing in records of earlier versions. */
  readonly variation?: Drawn
  readonly startedMs: number | null
  readonly endedMs: number | null
}

/** A rule that the run ended before it came to a verdict: a replay ends it too. */
export interface CutEvent extends LeftOut {
  readonly type: 'cut'
  readonly verdict: 'unverified' | 'broken'
}

/** An answer of /health. */
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
  /** How many requests the file records. */
  readonly requests: number
  /** /health before and after the plan, which shows how many workers ran; empty on the pod API. */
  readonly health: readonly Health[]
  /** Remarks on how it was driven, one sentence each. */
  readonly notes: readonly string[]
}

/** A plan of load that could not be driven; the plans of its plane that would follow it were not driven either. */
export interface BrokenOffEvent {
  readonly type: 'broken-off'
  readonly plan: string
  readonly reason: string
}

/** The run ended in order; a record without it is of a run that was cut short. */
export interface EndEvent {
  readonly type: 'end'
  /** When it ended, on the harness's own clock. */
  readonly endedMs: number
  /** How much time passed on the target's clock, ms. */
  readonly passedMs: number
  readonly exchanges: number
  /** Set where the run could not start: the exit code's reason in words. */
  readonly stopped: { readonly exit: number; readonly message: string } | null
}

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
  | PlanEvent
  | BrokenOffEvent
  | EndEvent
