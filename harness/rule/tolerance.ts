import { Blocked, Inconclusive } from './outcome.ts'

/** Inconclusive cases that a rule tolerates: each may take two of the eight unanswered requests that give up a target. */
const most = 3

/** Collects the inconclusive cases of a rule, so that it still finds the faults that other cases show. */
export function createTolerance() {
  const reasons: Inconclusive[] = []
  return {
    /**
     * Runs `work` and, if that is inconclusive, `after`. Returns false once as many cases are inconclusive as a rule
     * tolerates: then it tries no more of them, and looks at what it has done.
     */
    async tolerate(work: () => Promise<unknown>, after: () => Promise<void> = async () => {}): Promise<boolean> {
      try {
        await work()
      } catch (error) {
        // Whatever made that case inconclusive may also keep the rule from going on.
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
