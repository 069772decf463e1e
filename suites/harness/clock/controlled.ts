import { setImmediate as nextTurn } from 'node:timers/promises'
import { Inconclusive } from '../outcome.ts'
import { Actors, Participant, type Waited } from './actors.ts'
import type { ClockControl, ClockKind, ClockState, RunClock } from './types.ts'

export interface ControlledClockOptions {
  readonly kind: Extract<ClockKind, 'virtual' | 'remote'>
  readonly control: ClockControl
  readonly startMs: number
  /** Told of every wait that belongs into the record. */
  readonly waited?: Waited
  /** How many steps one wait may take before the target's own timers are blamed. */
  readonly stepBudget?: number
  /** How many calls of the target this harness holds open itself. */
  readonly holding?: () => readonly string[]
}

/**
 * A clock that moves only when every scenario waits: by steps, to the earliest moment that either side waits for.
 * In process and over HTTP it is the same code; only `control` differs (`docs/clock.md`).
 */
export function createControlledClock(options: ControlledClockOptions): RunClock {
  const { kind, control, waited = () => {}, stepBudget = 50_000, holding = () => [] } = options
  let now = options.startMs
  let stepping = false
  let changed = false
  let closed = false
  const book = new Actors(() => void step())
  const clock: RunClock = {
    kind,
    controlled: true,
    now: () => now,
    actor: (name) => new Participant(name, book, clock, waited),
    pending: () => book.pending(),
    close() {
      closed = true
    },
  }

  async function step(): Promise<void> {
    changed = true
    if (stepping || closed) return
    stepping = true
    changed = false
    try {
      let steps = 0
      while (!closed && (await stillIdle())) {
        changed = false
        const wake = book.earliest()
        if (wake === null) return
        if (++steps > stepBudget) {
          throw new Inconclusive(
            `the target's clock needed more than ${stepBudget} steps for one wait; timers that repeat should not be due while nothing happens`,
          )
        }
        const state = await control.state()
        now = Math.max(now, state.nowMs)
        if (!atRest(state)) {
          await nextTurn()
        } else if (wake <= now && (state.nextMs === null || state.nextMs > now)) {
          book.wake(now)
          steps = 0
        } else {
          const reached = await control.advance(Math.max(0, Math.ceil(wake - now)))
          now = Math.max(now, reached.nowMs)
        }
      }
    } catch (error) {
      book.fail(
        error instanceof Inconclusive ? error : new Inconclusive(`the clock of the target failed: ${reason(error)}`),
      )
    } finally {
      stepping = false
      // Whoever came to rest while the last look was under way was not seen by it.
      if (changed) void step()
    }
  }

  /** Code that a settled promise has yet to run shows itself within two turns of the event loop. */
  async function stillIdle(): Promise<boolean> {
    for (let turn = 0; turn < 2; turn++) {
      if (!book.idle()) return false
      await nextTurn()
    }
    return book.idle()
  }

  function atRest(state: ClockState): boolean {
    const held = new Set(holding())
    return state.busy.every((id) => held.has(id))
  }

  return clock
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
