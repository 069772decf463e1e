/** The record and `docs/evidence.md` have these texts. */
const quotaPrefix = 'not sent: '

/** Failure of a request that found no room in its quota. It says nothing about the target, so it ends the rule as inconclusive. */
export function withoutQuota(reason: string): string {
  return quotaPrefix + reason
}

/** True for that failure. */
export function isWithoutQuota(failure: string | null): boolean {
  return failure?.startsWith(quotaPrefix) === true
}

/** Any other reason not to send a request. As the failure of an exchange, it counts as a missing response. */
export function notSentBecause(reason: string): string {
  return `not sent, because ${reason}`
}

/** The reason if a host stopped responding. */
export function silentHost(failed: number): string {
  return `${failed} requests in a row had no response`
}

/** True if a rule ended because its host stopped responding. */
export function endedBySilence(reason: string | null): boolean {
  return reason !== null && /\d+ requests in a row had no response$/.test(reason)
}
