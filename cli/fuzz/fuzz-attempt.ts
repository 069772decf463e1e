import { Blocked, ClauseViolated, Inconclusive, Unanswered } from '../../harness/rule/outcome.ts'
import type { CampaignOptions } from '../../suites/fuzz/campaign.ts'
import { noResponse } from '../../suites/fuzz/judge.ts'
import type { Failure, Outcome } from '../../suites/fuzz/steps.ts'

/** Why a run ended before its time. */
export interface Stop {
  readonly reason: string
  /** True if the target stopped answering. */
  readonly isUnreachable: boolean
}

/** Cases in a row without a response after which a target is given up. */
const givenUpAfter = 8

/** Ends a run whose target has gone away: after so many cases in a row without a meaningful response. */
export function createGivingUp(give: (stop: Stop) => void): CampaignOptions['came'] {
  let failures = 0
  /** True if the target was reached, and is too slow. */
  let isLate = false
  return (failure) => {
    failures = failure === null ? 0 : failures + 1
    isLate = failure !== null && (isLate || failure.isLate === true)
    if (failure === null || failures < givenUpAfter) return
    give({ reason: failure.reason ?? failure.failure, isUnreachable: failure.failure === noResponse && !isLate })
  }
}

/** Turns the end of a case into a value without secrets. */
export function createOutcomeOf(clean: (text: string) => string): CampaignOptions['outcomeOf'] {
  return async <T>(work: () => Promise<T>): Promise<Outcome<T>> => {
    try {
      return { value: await work() }
    } catch (error) {
      return failureOf(error, clean)
    }
  }
}

function failureOf(error: unknown, clean: (text: string) => string): Failure {
  if (error instanceof ClauseViolated) {
    const { observed, expected } = error.finding
    return { failure: clean(observed), expected: clean(expected), undecided: false }
  }
  if (error instanceof Unanswered) {
    return { failure: noResponse, undecided: false, reason: clean(error.message), isLate: error.isLate }
  }
  // An exhausted quota, an outage, a failed creation: no effect of the body.
  if (!(error instanceof Inconclusive || error instanceof Blocked)) throw error
  return { failure: clean(error.message.replace(/^pod\.\w+ \w+ \w+: /, '')), undecided: true }
}
