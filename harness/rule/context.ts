import type { RuleId, RuleRow } from '../../generated/rules.ts'
import type { KeyName, Target } from '../../target/types.ts'
import type { ApiResponse } from '../client/api-response.ts'
import type { ScenarioClock } from '../clock/types.ts'
import type { ClientOf } from '../planes/access.ts'
import type { LongWait } from '../planes/owner.ts'
import type { Foundation } from '../planes/plane.ts'
import type { Fixtures, Shorthands } from '../planes/types.ts'
import type { Variation } from '../variation/variation.ts'
import type { Check } from './check.ts'

/** Everything that a rule gets: target, clock, randomness and time come only from here. */
export interface Context extends Shorthands {
  readonly row: RuleRow
  readonly target: Target
  /** A plane by its name, with the full key or another one. Throws Unclaimed or NotApplicable if the target lacks either. */
  on<Name extends string>(plane: Name, key?: KeyName): ClientOf<Name>
  readonly fixture: Fixtures
  /** A name for something that the rule creates without a fixture. */
  nextName(): string
  /** Draws values by the run's seed that the rule leaves open (`varies`). */
  readonly vary: Variation
  /** When to read again a state that should last, ms after the first read, ascending. */
  rereadDelays(): readonly number[]
  /** The last of these moments, ms. */
  lastRereadMs(): number
  readonly clock: ScenarioClock
  /** The assertions of a clause; each clause has a name in its rule and a defect in the proof. */
  check(clause: string): Check
  /**
   * Resolves once the rule may build on a foundation: it was seen to work, or the rule that judges it is not part of the run. Rejects with
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
  /** True if a controlled clock did not move from the first request to the last response, so that nothing changed by itself. */
  stoodStill(first: ApiResponse, last: ApiResponse): boolean
  /** Records a reading: what was seen where the description is open. */
  reading(name: string, value: string): void
  /** Records that the target gave no chance to judge a branch or a clause, and why: the rest of the rule may still pass. */
  notJudged(name: string, reason: string): void
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
}
