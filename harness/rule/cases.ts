import { Blocked, Inconclusive } from './outcome.ts'

/**
 * Most inconclusive cases of a rule. A case without a response costs two requests, and a target is given up after eight of
 * them (client/sender.ts).
 */
const most = 3

/** Runs the cases of a rule. An inconclusive one does not end it, so that it still finds the faults that others show. */
export function createCases() {
  const reasons: Inconclusive[] = []
  return {
    /**
     * Runs `work`; if it is inconclusive, runs `after`. Returns false at the limit: the rule then tries no more cases and
     * checks the effects of those it sent.
     */
    async attempt(work: () => Promise<unknown>, after: () => Promise<void> = async () => {}): Promise<boolean> {
      try {
        await work()
      } catch (error) {
        // The inconclusive case may be what blocks the rule now.
        if (error instanceof Blocked && reasons[0] !== undefined) throw reasons[0]
        if (!(error instanceof Inconclusive)) throw error
        reasons.push(error)
        await after()
      }
      return reasons.length < most
    },
    /** Throws the first reason, if there is one: call it once the rule has found nothing wrong. */
    end(): void {
      if (reasons[0] !== undefined) throw reasons[0]
    },
  }
}
