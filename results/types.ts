import type { RuleRow } from '../generated/rules.ts'
import type { UnjudgedPart } from '../harness/claims/claims.ts'
import type { Exchange } from '../harness/exchange/exchange.ts'
import type { PerSecond, RunEvent, VerdictEvent } from '../harness/record/events.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import type { KnownFailure } from '../target/types.ts'
import type { RunVerdict } from '../verdicts/exit-codes.ts'
import type { Verdict } from '../verdicts/verdicts.ts'

/** Version of `results.json`. */
export const resultsFormat = 1

/** One exchange as reports show it: bodies as text, long ones cut, secrets as marks. */
export interface ShownExchange extends Pick<Exchange, 'n' | 'owner' | 'operation' | 'subject' | 'failure'> {
  /** Time since the exchange before it, ms on the target's clock; 0 for the first of its owner. */
  readonly waitedMs: number
  /** Set if earlier identical requests were folded into this last one. */
  readonly polls: ShownPolls | null
  /** Of the last request of a fold; ms of the Unix epoch on the target's clock, as `receivedMs`. */
  readonly sentMs: number
  readonly receivedMs: number
  readonly request: ShownMessage & { readonly method: string; readonly url: string }
  readonly response: (ShownMessage & { readonly status: number }) | null
}

/** Identical requests in a row, shown as their last one. */
export interface ShownPolls {
  /** How many requests there were, the shown one included. */
  readonly count: number
  /** When the first was sent, ms of the Unix epoch on the target's clock. */
  readonly sinceMs: number
  /** Response to the first, such as `200 PROVISIONING`, `404` or `no response`. */
  readonly from: string
  /** Response to the last. */
  readonly to: string
}

export interface ShownMessage {
  readonly headers: readonly (readonly [string, string])[]
  /** Text of the body; base64 if it is not text; null if there was none. At most 4,000 characters. */
  readonly body: string | null
  /** `cut`: the beginning of a longer text; `base64-cut`: base64 of the first bytes. */
  readonly bodyKind: 'text' | 'cut' | 'base64' | 'base64-cut' | 'none'
  /** Length of the whole body. */
  readonly bodyBytes: number
}

export interface RuleResult
  extends Pick<RuleRow, 'id' | 'level' | 'basis' | 'source' | 'says'>,
    Pick<VerdictEvent, 'verdict' | 'reason' | 'by' | 'exchanges' | 'clauses' | 'startedMs' | 'endedMs'> {
  readonly area: string
  readonly profile: string
  /** The capability that an unclaimed rule needs; missing for another reason, and in results of earlier versions. */
  readonly need?: string
  /** Real time of the rule, ms; null if it never ran. */
  readonly realMs: number | null
  /** Parts of the rule that were not judged because the target lacks a capability. */
  readonly unjudged: readonly UnjudgedPart[]
  readonly findings: readonly Finding[]
  /** Values of the target file, by their keys, that explain the first finding if they are wrong; missing without any. */
  readonly fromTarget?: Readonly<Record<string, string>>
  readonly readings: Readonly<Record<string, string>>
  /** Values that the seed drew: dimension to values, in the order of their use. */
  readonly variation: Readonly<Record<string, readonly string[]>>
  /** The entry of `known:` that accepts this failure, null if none does. */
  readonly known: Pick<KnownFailure, 'reason' | 'expires'> | null
  /** The name of the baseline that has this failure, too. Only reports for people and CI have it, never `results.json`. */
  readonly baseline?: string
  /**
   * Only for failed and advice, and for at most 100 rules of a run: the exchanges of the scenario (with the fixtures it
   * used), polls folded, at most 30.
   */
  readonly scenario: readonly ShownExchange[]
  /** Number of findings (beyond 30) and exchanges that were left out; the record has all of them. */
  readonly omitted: { readonly findings: number; readonly exchanges: number }
  /** Numbered shell lines that reproduce the scenario from nothing; only for failed and advice. */
  readonly curl: readonly string[]
  /** The command that reruns just this rule; empty if nothing can, such as for traffic that was not recorded. */
  readonly rerun: string
}

export interface KnownResult extends KnownFailure {
  readonly state: KnownState
}

/** The state of an entry of `known:` (`docs/verdicts.md`). */
export type KnownState = 'accepted' | 'no longer fails' | 'expired' | 'stale' | 'not judged'

export interface ProfileCoverage {
  readonly profile: string
  /** Must rules of the profile that were selected, those that are not applicable too: verified + unclaimed + notApplicable + notVerified. */
  readonly must: number
  /** Passed, observed or failed: a verdict about the target. */
  readonly verified: number
  /** Verified rules with an unclaimed part. */
  readonly inPart: number
  readonly unclaimed: number
  readonly notApplicable: number
  /** Claimed rules without a verdict about the target: inconclusive, blocked, unverified or broken. */
  readonly notVerified: number
}

/** `results.json`: the results of a run, derived only from its record and the ledger. */
export interface Results {
  readonly format: number
  readonly run: Pick<RunEvent, 'plumbline' | 'targetFile' | 'startedMs' | 'seed' | 'profiles' | 'strict'> & {
    readonly id: string
    readonly target: string
    readonly endedMs: number
    /** Time that passed on the target's clock, ms; null if the run was cut short. */
    readonly passedMs: number | null
    readonly clock: string
    readonly selected: number
    readonly exchanges: number
    /** The exchanges are those of other clients; missing if the run sent its own. */
    readonly traffic?: true
    /** How the server of `--start` failed during the run; missing if it did not. */
    readonly serverEnd?: string
    readonly digests: Readonly<Record<string, string>>
  }
  readonly verdict: { readonly word: RunVerdict; readonly exit: number; readonly line: string }
  readonly coverage: readonly ProfileCoverage[]
  readonly counts: Readonly<Partial<Record<Verdict, number>>>
  readonly rules: readonly RuleResult[]
  readonly known: readonly KnownResult[]
  /** The plans of its load in the order in which they were driven; missing if none was. */
  readonly load?: readonly DrivenPlan[]
}

/** A plan of load that was driven, such as `04-cancel-over`. */
export interface DrivenPlan extends PerSecond {
  readonly plan: string
}
