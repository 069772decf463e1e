import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ClockKind } from './types.ts'

/**
 * Reasons to wait in real time before the clock of a target may move:
 * - `arrival`: a request whose response may be held has reached the target, and its immediate effects must be done;
 * - `response`: a request that needs no time has no response yet, so its response takes time after all;
 * - `nothing`: a response is missing although nothing is due, so it will never come.
 */
type Occasion = 'arrival' | 'response' | 'nothing'

/** A target in this process gives a response that needs no time within a few turns of the event loop. */
const turns: Readonly<Record<Occasion, number>> = { arrival: 20, response: 40, nothing: 40 }

/** Real ms over a network after which a response that should take no time is late. */
export const lateResponseMs = 5_000

/**
 * Over a network, in ms. A slow response must not count as one that takes time: the state in between would be lost.
 */
const overNetworkMs = { arrival: 30, nothing: 60_000 }

/**
 * Waits before that in process, in ms. Most responses come earlier, so that no turns need to be counted. Only a
 * worker's real pause takes real time there, and that is listed as busy.
 */
const pauseMs: Readonly<Record<Occasion, number>> = { arrival: 0, response: 5, nothing: 1_000 }

/**
 * Real waits of a controlled clock. Each ends early if something happens.
 * @param lateMs real ms over a network after which a response is late
 */
export function createClockPatience(kind: Extract<ClockKind, 'virtual' | 'remote'>, lateMs = lateResponseMs) {
  let happened = false
  let end = () => {}
  /**
   * True if the last wait for a response ended without one; the next then skips its pause. Its turns are enough for the
   * reference, which answers within a few.
   */
  let skipsPause = false

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
    /** True if nothing happened meanwhile. */
    async wait(occasion: Occasion): Promise<boolean> {
      happened = false
      const pause = kind === 'virtual' ? pauseMs[occasion] : occasion === 'response' ? lateMs : overNetworkMs[occasion]
      if (pause > 0 && !(skipsPause && occasion === 'response')) await sleep(pause)
      // On a busy machine one turn may take as long as the pause, and a target in this process needs several.
      await turn(turns[occasion])
      if (kind === 'virtual' && occasion === 'response') skipsPause = !happened
      return !happened
    },
    /** A short pause before the target is looked at for the `n`-th time in a row. */
    async look(n: number): Promise<void> {
      if (kind === 'virtual' && n < 200) await nextTurn()
      else await sleep(Math.min(20, 1 + n / 10))
    },
    interrupt(): void {
      happened = true
      end()
    },
  }
}
