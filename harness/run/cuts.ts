import type { Blocked, Inconclusive, Stalled, Unverified } from '../rule/outcome.ts'

/** Why the run ended a rule before its verdict. */
export type Cut = Unverified | Stalled | Blocked | Inconclusive

/** The end of each reason of `failFastReason`. */
const failFastEnd = 'failed (--fail-fast)'

/** Why a rule has no verdict in a run that another rule's failure ended. */
export const failFastReason = (failed: string) => `the run ended when ${failed} ${failFastEnd}`

/** True for a reason of `failFastReason`: it says nothing about the rule that has it. */
export function isFailFast(reason: string | null): boolean {
  return reason?.endsWith(failFastEnd) === true
}

export type Cuts = ReturnType<typeof createCuts>

/** Ends rules from outside. A replay does not know what made the run do so, and takes it from the record. */
export function createCuts() {
  const open = new Map<string, (cut: Cut) => void>()
  return {
    /** Resolves if the rule is ended before `close`. */
    of: (rule: string) => new Promise<Cut>((resolve) => open.set(rule, resolve)),
    /** The rule has its verdict. */
    close: (rule: string) => void open.delete(rule),
    /** Ends these rules, or all that have no verdict yet. */
    cut(error: Cut, rules: readonly string[] = [...open.keys()]): void {
      for (const rule of rules) open.get(rule)?.(error)
    },
  }
}
