import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { CallOptions } from '../../harness/client/caller.ts'
import type { PodView } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { Allowed } from './oracle.ts'
import type { Change } from './player.ts'
import type { Sent, Subject } from './stages.ts'
import type { Trial } from './trial.ts'

/** A result, or in a few words why there is none; `undecided` if that reason is not about the target. */
export type Outcome<T> = { readonly value: T } | Failure

export interface Failure {
  readonly failure: string
  readonly undecided: boolean
  /** The expectation that was not met, if a rule was broken. */
  readonly expected?: string
  /** The same at length, where nothing was broken. */
  readonly reason?: string
  /** True if a response was waited for as long as the tolerance `answer`. */
  readonly isLate?: boolean
}

/** An observation and its cases. */
export interface Seen {
  readonly cases: readonly Drawn[]
  readonly allowed: readonly Allowed[]
  readonly observed: string
  /** The response to the last case, or null if it had none. */
  readonly answer: ApiResponse | null
  /** The forbidden change of the pod. */
  readonly change?: Change
  /** The expectation beyond a permitted response. */
  readonly also?: string | undefined
  readonly isPodless?: boolean
}

/** State that the steps of a case share. */
export interface Steps {
  readonly context: Context
  readonly seed: number
  /** The treatment of a finding: it is kept, or it fails the rule. */
  readonly keep: (subject: Subject, seen: Seen) => void
  /** Counts a wrong response again if its finding is known already. */
  readonly isKnown: (subject: Subject, seen: Seen) => boolean
  /**
   * True for a rule: a pod is looked at before each body that may be accepted, accepted bodies are read back, and
   * responses that other rows judge are left to them.
   */
  readonly isRule: boolean
  readonly log: ReturnType<typeof createLog>
  /** A text of the target as it may be kept: without secrets, and not long. */
  readonly clean: (text: string) => string
  /** The result of some work, or its failure (no response, no pod, a broken rule) as a value that may be kept. */
  readonly outcomeOf: <T>(work: () => Promise<T>) => Promise<Outcome<T>>
  /** Sends a body to a pod; in a campaign without pacing, so that a 429 has to be waited out. */
  readonly direct: (trial: Trial, pod: PodView, bytes: Uint8Array, options: CallOptions) => Promise<ApiResponse>
  /** True if waiting takes no real time, so that each look at a pod waits for late effects. */
  readonly isTimeFree: boolean
  /** Called for each case that was sent, with the reason if its response says nothing, else with null. */
  readonly came: (failure: Failure | null) => void
  /** Removes a pod that is of no more use. */
  readonly drop: (pod: PodView) => Promise<void>
}

/** Everything beside findings that a run of fuzzing has to tell. */
export function createLog() {
  return {
    /** Why no pod was made, each reason with the stages that it concerns. */
    unmade: new Map<string, Set<string>>(),
    /** Bodies that had no complete response, where nothing shows that they are why. */
    silent: [] as string[],
    /** Observations that are not findings, as sentences. */
    notes: new Set<string>(),
    /** For each wrong response that is still being searched: notes it as it was seen if the run ends now. */
    undecided: new Set<() => void>(),
    /** How many bodies pods have refused. */
    refused: 0,
    /** Those of them after which late effects were not looked for yet. */
    unsettled: new Set<Drawn>(),
  }
}

/** A case with the path that draws it again. */
export type Drawn = Pick<Sent, 'one' | 'path'>
