import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ClockKind } from './types.ts'

/**
 * What is waited for in real time before the clock of a target may move:
 * - `arrival`: a request whose answer may be held is with the target, and all that follows from it at once is done;
 * - `answer`: a request that is answered at once has not been, so its answer must be one that takes time;
 * - `nothing`: an answer is missing though nothing is due, so that it will never come.
 */
export type Occasion = 'arrival' | 'answer' | 'nothing'

/** Real waits of a controlled clock; each ends early where something happens. */
export interface Patience {
  /** True where nothing happened meanwhile. */
  wait(occasion: Occasion): Promise<boolean>
  /** A short pause before the target is looked at for the `n`-th time in a row. */
  look(n: number): Promise<void>
  interrupt(): void
}

/** In process an answer that needs no time is there within a few turns of the event loop. */
const turns: Readonly<Record<Occasion, number>> = { arrival: 20, answer: 40, nothing: 40 }

/** Over a network, in ms. A slow answer must not be taken for one that takes time: the state in between would be lost. */
const overNetworkMs: Readonly<Record<Occasion, number>> = { arrival: 30, answer: 5_000, nothing: 60_000 }

/**
 * And before that in process, in ms: most answers are there before it is over, so that the turns need not be counted.
 * Nothing but a worker's real pause takes real time there, and those are listed as busy.
 */
const pauseMs: Readonly<Record<Occasion, number>> = { arrival: 0, answer: 5, nothing: 1_000 }

export function createPatience(kind: Extract<ClockKind, 'virtual' | 'remote'>): Patience {
  let happened = false
  let end = () => {}

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      end = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function turn(times: number): Promise<void> {
    for (let done = 0; done < times && !happened; done++) await nextTurn()
  }

  return {
    async wait(occasion) {
      happened = false
      if (kind === 'remote') await sleep(overNetworkMs[occasion])
      else {
        if (pauseMs[occasion] > 0) await sleep(pauseMs[occasion])
        await turn(turns[occasion])
      }
      return !happened
    },
    async look(n) {
      if (kind === 'virtual' && n < 200) await nextTurn()
      else await sleep(Math.min(20, 1 + n / 10))
    },
    interrupt() {
      happened = true
      end()
    },
  }
}
