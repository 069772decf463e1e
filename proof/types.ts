import type { PlaneName } from '../generated/operations.ts'
import type { RuleId } from '../generated/rules.ts'
import type { Values } from '../harness/variation/dimensions.ts'
import type { ToolOptions } from '../reference/deploy/index.ts'
import type { ReferenceOptions } from '../reference/options.ts'
import type { Target } from '../target/types.ts'
import type { Verdict } from '../verdicts/verdicts.ts'

export type Fetch = (request: Request) => Promise<Response>

/** A change to one instance of the reference. Variants compose: changes are applied in order, wrappers from inside out. */
export interface Variant {
  /** Kebab-case, permanent. */
  readonly id: string
  /** Its behaviour, as a bug report (defect) or a vendor's release note (latitude) would put it. */
  readonly says: string
  /** Another table or option. */
  readonly change?: (options: ReferenceOptions) => ReferenceOptions
  /** A wrapper of its fetch; made anew for each instance, so it may keep state. */
  readonly wrap?: (fetch: Fetch) => Fetch
  /** Other options of its deployment tool. */
  readonly tool?: (options: ToolOptions) => ToolOptions
  /** Changes to the target file of such a platform. */
  readonly file?: (target: Target) => Target
}

/** The smallest change that breaks one clause of one rule. */
export interface Defect extends Variant {
  readonly rule: RuleId
  readonly clause: string
  /** The `observed` of the finding, compared for equality. */
  readonly observed: string
  /** The values that show it, given to its rule in place of drawn ones: the plain case of the rule passes. */
  readonly variation?: Values
  /** For an invariant: the scenarios that show it; default: a tour of the plane. */
  readonly tour?: readonly RuleId[]
}

/** A plane; `PlaneName` has only those whose operations are in the document. */
export type LatitudePlane = PlaneName | 'deploy'

/** A freedom that the description leaves. Every verdict on it is the reference's, save those it names. */
export interface Latitude extends Variant {
  /** The planes that it concerns, whose rules are judged on it; default: every plane. */
  readonly planes?: readonly LatitudePlane[]
  /** Rules whose verdict is another one here, each with the verdict. */
  readonly verdicts?: Readonly<Partial<Record<RuleId, Verdict>>>
  /** It differs from the reference by what its file declares absent, and by nothing else. */
  readonly onlyLacks?: boolean
  /**
   * The part of the traffic that its wrapper changes, or the resource that it makes scarce or slow; a list if there are
   * several. Two latitudes with one in common do not share an instance, because one could hide the other. One
   * about `everything` shares an instance with none.
   */
  readonly about?: string | readonly string[]
  /** Readings that differ from those of the reference; null if a reading is not recorded at all. */
  readonly readings?: Readonly<Partial<Record<RuleId, Readonly<Record<string, string | null>>>>>
}
