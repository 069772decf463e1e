import type { RuleId, RuleRow } from '../../generated/rules.ts'
import type { KeyName, Target } from '../../target/types.ts'
import type { Caller } from '../client/caller.ts'
import type { Reply } from '../client/reply.ts'
import type { ScenarioClock } from '../clock/types.ts'
import type { Members, PodView } from '../exchange/read.ts'
import type { Fixtures } from '../fixtures/types.ts'
import type { PodClient } from '../planes/pods/client.ts'
import type { QueueClient } from '../planes/queue/client.ts'
import type { Arrival, Beacon } from '../receiver/types.ts'
import type { Variation } from '../variation/variation.ts'
import type { Check } from './check.ts'

/** Where a pod came to rest, or what it was last seen as when the time was over. */
export interface Settled {
  /** A pod status, `gone` after a 404, or `answer NNN` for anything else. */
  readonly status: string
  /** The pod as last seen; null where it is gone or could not be read. */
  readonly pod: PodView | null
  readonly reply: Reply
  /** Whether it got there within the bound. */
  readonly settled: boolean
}

/** Where a job is to be found. */
export interface JobAt {
  readonly id: string
  readonly queue: QueueClient
}

/** What a job was last seen as. */
export interface Followed {
  /** A job status, or `gone` after a 404. */
  readonly status: string
  /** The members of the last answer; null where it was no success with an object. */
  readonly job: Members | null
  readonly reply: Reply
  /** Whether it got there within the bound. */
  readonly settled: boolean
}

/** All that a rule gets; target, clock, randomness and time come from here and from nowhere else. */
export interface Context {
  readonly row: RuleRow
  readonly target: Target
  /** The pod API with the full key. */
  readonly pods: PodClient
  /** The pod API with another key. Throws Unclaimed or NotApplicable where the target has none of that kind. */
  as(key: KeyName): PodClient
  /** The normal queue-based endpoint with the full key. */
  readonly queue: QueueClient
  /** The same with another key. Throws Unclaimed or NotApplicable where the target has none of that kind. */
  queueAs(key: KeyName): QueueClient
  /** A plane by its name, with the full key or another one. Throws Unclaimed or NotApplicable if the target lacks either. */
  on(plane: string, key?: KeyName): Caller
  readonly fixture: Fixtures
  /** Draws by the run's seed what the rule leaves open (`varies`). */
  readonly vary: Variation
  /** When to look again at something that should stay as it is, ms after the first look, ascending. */
  looks(): readonly number[]
  readonly clock: ScenarioClock
  /** The assertions of a clause; the name is the rule's own and has a defect in the proof. */
  check(clause: string): Check
  /** Polls a pod until `done` says so, at most `boundMs` (default: the tolerance `settle`). */
  settle(id: string, done: (status: string, pod: PodView | null) => boolean, boundMs?: number): Promise<Settled>
  /**
   * Looks at a job that should be there. If nothing has found it yet, a 404 is looked at again for as long as `visible`.
   * Rejects with Blocked by queue.status.shape if /status does not show it, with Inconclusive after a 502, 503 or 504.
   */
  found(job: JobAt): Promise<Reply>
  /**
   * Polls a job until `done` says so, at most `boundMs` (default: the tolerances `coldStart` and `dispatch`). Looks again
   * after an answer that shows no job; rejects as `found` does if that was the last one.
   */
  follow(job: JobAt, done: (status: string) => boolean, boundMs?: number): Promise<Followed>
  /** Polls a job until it has ended in whatever way. */
  ended(job: JobAt, boundMs?: number): Promise<Followed>
  /** Waits until the n-th execution of a job begins. Rejects with Inconclusive where no worker begins in time. */
  begun(job: { readonly beacon: Beacon }, n?: number): Promise<Arrival>
  /** Gives back the workers that the rule keeps: all its jobs have ended, and it submits no more. */
  freeWorkers(): void
  /** Whether the target's clock stood still between two replies, so that nothing moved on by itself. */
  stoodStill(first: Reply, last: Reply): boolean
  /** Records what was seen where the description is open. */
  reading(name: string, value: string): void
  /**
   * Whether the target offers what a part of the rule needs; if not, the result of the rule names the part as not judged.
   * Throws where the row lists the need neither under `parts` nor under `needs`.
   */
  part(need: string): boolean
  /** Whether the target offers something that only helps the rule to its verdict; what it judges less is a `part`. */
  offers(need: string): boolean
  /** Numbers from 0 to 1 from the run's seed and the rule's id. */
  random(): number
  /** A token of plausible form that was never issued. */
  readonly unissuedToken: string
  /** Ends the rule as blocked: what it builds on fails, which is for the rule `by` to judge. */
  blocked(by: RuleId, reason: string): never
  /** Ends the rule as inconclusive. */
  inconclusive(reason: string): never
  /** Whether a reply tells of want of capacity (pattern of the target file). */
  lacksCapacity(reply: Reply): boolean
}
