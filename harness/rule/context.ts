import type { RuleId, RuleRow } from '../../generated/rules.ts'
import type { KeyName, Target } from '../../target/types.ts'
import type { ApiResponse } from '../client/api-response.ts'
import type { Caller } from '../client/caller.ts'
import type { ScenarioClock } from '../clock/types.ts'
import type { Fixtures, PlannedJob } from '../fixtures/types.ts'
import type { LbClient } from '../planes/lb/client.ts'
import type { LongWait } from '../planes/owner.ts'
import type { Foundation } from '../planes/plane.ts'
import type { Settle, Settled } from '../planes/pods/access.ts'
import type { PodClient } from '../planes/pods/client.ts'
import type { QueueClient } from '../planes/queue/client.ts'
import type { Followed, JobAt } from '../planes/queue/job-status.ts'
import type { Arrival, Beacon } from '../receiver/types.ts'
import type { Variation } from '../variation/variation.ts'
import type { Check } from './check.ts'

/** Everything that a rule gets: target, clock, randomness and time come only from here. */
export interface Context {
  readonly row: RuleRow
  readonly target: Target
  /** The pod API with the full key. */
  readonly pods: PodClient
  /** The pod API with another key. Throws Unclaimed or NotApplicable if the target has no such key. */
  as(key: KeyName): PodClient
  /** The normal queue-based endpoint with the full key. */
  readonly queue: QueueClient
  /** The same with another key. Throws Unclaimed or NotApplicable if the target has no such key. */
  queueAs(key: KeyName): QueueClient
  /** The normal load-balanced endpoint with the full key. */
  readonly lb: LbClient
  /** The same with another key. Throws Unclaimed or NotApplicable if the target has no such key. */
  lbAs(key: KeyName): LbClient
  /** A beacon for one request to a load-balanced endpoint. Throws Unclaimed or NotApplicable without a receiver. */
  beacon(): Beacon
  /** A plane by its name, with the full key or another one. Throws Unclaimed or NotApplicable if the target lacks either. */
  on(plane: string, key?: KeyName): Caller
  readonly fixture: Fixtures
  /** A name for something that the rule creates without a fixture. */
  nextName(): string
  /** Draws values by the run's seed that the rule leaves open (`varies`). */
  readonly vary: Variation
  /** When to read again a state that should last, ms after the first read, ascending. */
  rereadDelays(): readonly number[]
  readonly clock: ScenarioClock
  /** The assertions of a clause; each clause has a name in its rule and a defect in the proof. */
  check(clause: string): Check
  readonly settle: Settle
  /** Waits until a pod that was started while EXITED is RUNNING, or never will be. */
  readonly settleStarted: (id: string) => Promise<Settled>
  /**
   * Reads a job that should exist. If no operation has shown it yet, a 404 is read again during `visible`.
   * Rejects with Blocked by queue.status.shape if /status does not show it, with Inconclusive after a 502, 503 or 504.
   */
  found(job: JobAt): Promise<ApiResponse>
  /**
   * Polls a job until `done` is true, at most `boundMs` (default: the tolerances `coldStart` and `dispatch`). Reads again
   * after a response without a job; rejects as `found` does if that was the last one.
   */
  follow(job: JobAt, done: (status: string) => boolean, boundMs?: number): Promise<Followed>
  /** Polls a job until it has ended, in any status. */
  ended(job: JobAt, boundMs?: number): Promise<Followed>
  /**
   * Waits until a worker begins with a job. If none does in time, rejects with Inconclusive if none begins with a plain job
   * either, else with RuleBroken.
   */
  begun(job: PlannedJob): Promise<Arrival>
  /**
   * Resolves once the rule may build on a foundation: it was seen to work, or no rule of the run is about to tell. Rejects with
   * Blocked if the rule that judges it has failed. `observed`: what the rule sees of a foundation that does not work for it. If
   * the foundation was seen to work, it is blocked only if the other rule observed the same.
   */
  relies(foundation: Foundation, observed?: string): Promise<void>
  /** The same without a wait: throws Blocked if the rule that judges a foundation has failed by now. */
  rely(foundation: Foundation): void
  /** Ends the rule because a foundation does not work for it: blocked by the rule that judges it. */
  blame(foundation: Foundation, reason: string): never
  /**
   * Waits for something that needs capacity, by its name. Two such waits in vain end every rule of the run that waits for it.
   * Report with `came` wherever it is seen.
   */
  waitOnce<T>(what: string, wait: LongWait<T>): Promise<T>
  /** Something that other rules wait for by `waitOnce` came. */
  came(what: string): void
  /** Gives back the workers that the rule keeps: all its jobs have ended, and it submits no more. */
  freeWorkers(): void
  /** Waits until the quota of the pod API has room for so many requests, and keeps it: they follow each other at once. */
  reserve(requests: number): Promise<void>
  /** True if the target's clock did not move between two responses, so that nothing changed by itself. */
  stoodStill(first: ApiResponse, last: ApiResponse): boolean
  /** Records a reading: what was seen where the description is open. */
  reading(name: string, value: string): void
  /**
   * True if the target offers the need of a part of the rule; if not, the result lists the part as not judged.
   * Throws if the row lists the need neither under `parts` nor under `needs`.
   */
  part(need: string): boolean
  /** True if the target offers something that only helps to reach a verdict. If the rule judges less without it, use `part`. */
  offers(need: string): boolean
  /** Numbers from 0 to 1 from the run's seed and the rule's id. */
  random(): number
  /** A token of plausible form that was never issued. */
  readonly unissuedToken: string
  /** Ends the rule as blocked: something that it builds on fails, which the rule `by` judges. */
  blocked(by: RuleId, reason: string): never
  /** Ends the rule as inconclusive. */
  inconclusive(reason: string): never
  /** True if a response shows a lack of capacity (pattern of the target file). */
  lacksCapacity(response: ApiResponse): boolean
}
