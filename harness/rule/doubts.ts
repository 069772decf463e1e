import { Inconclusive } from './outcome.ts'

/** Cases without a verdict after which a rule ends at once. */
const mostDoubts = 5

/** Lets a rule try its other cases after one that came to no verdict, which may hide no fault that these show. */
export function createDoubts() {
  const doubts: Inconclusive[] = []
  return {
    /** Does `work`, and `after` if it comes to no verdict; rejects after as many of those as a rule may have. */
    async allow(work: () => Promise<unknown>, after: () => Promise<void> = async () => {}): Promise<void> {
      try {
        await work()
      } catch (error) {
        if (!(error instanceof Inconclusive)) throw error
        doubts.push(error)
        if (doubts.length === mostDoubts) throw doubts[0]
        await after()
      }
    },
    /** Throws the first doubt if there was any: a rule ends with it once nothing else is wrong. */
    end(): void {
      if (doubts[0] !== undefined) throw doubts[0]
    },
  }
}
