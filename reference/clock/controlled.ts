import type { Fetch } from '../http/fetch.ts'
import { createAgenda } from './agenda.ts'
import type { ClockState, ReferenceClock } from './types.ts'

/** A clock that stands still until it is advanced. */
export interface ControlledClock {
  readonly clock: ReferenceClock
  state(): ClockState
  /**
   * Moves time once: to the next due moment or by `ms`, whichever is nearer, and runs all that is due there, what
   * becomes due there included. Does not wait for promises that it began: those are in `busy`.
   * @throws RangeError if `ms` is no integer of at least 0.
   */
  advance(ms: number): ClockState
  /** Lists `id` as busy until `promise` is settled, and hands the promise back. */
  track<T>(id: string, promise: Promise<T>): Promise<T>
  requestStarted(): void
  requestEnded(): void
  /** `fetch` with its unanswered requests counted as open. */
  wrap(fetch: Fetch): Fetch
}

/**
 * A clock that moves only when it is told to, to the next event at most.
 * @param startMs where time begins, in milliseconds of the Unix epoch.
 */
export function createControlledClock(startMs: number): ControlledClock {
  if (!Number.isSafeInteger(startMs)) {
    throw new TypeError(
      `startMs must be an integer, milliseconds of the Unix epoch, not ${startMs} (${typeof startMs})`,
    )
  }
  const agenda = createAgenda()
  const busy = new Map<number, string>()
  let nowMs = startMs
  let open = 0
  let tracked = 0

  const state = (): ClockState => ({ nowMs, nextMs: agenda.nextMs(), busy: [...busy.values()], open })

  const track = <T>(id: string, promise: Promise<T>): Promise<T> => {
    const key = tracked++
    busy.set(key, id)
    const done = () => busy.delete(key)
    promise.then(done, done)
    return promise
  }

  const runDue = (): void => {
    for (let run = agenda.takeDue(nowMs); run !== undefined; run = agenda.takeDue(nowMs)) {
      const running = run()
      if (running !== undefined) track(`task-${tracked}`, running)
    }
  }

  const requestStarted = () => {
    open++
  }
  const requestEnded = () => {
    open--
  }

  return {
    clock: {
      now: () => nowMs,
      schedule: (atMs, run) => agenda.add(Math.max(atMs, nowMs), run),
      track: (id, promise) => void track(id, promise),
    },
    state,
    advance(ms) {
      if (!Number.isSafeInteger(ms) || ms < 0) {
        throw new RangeError(
          `A clock is advanced by an integer of at least 0 milliseconds, not by ${ms} (${typeof ms})`,
        )
      }
      nowMs = Math.min(agenda.nextMs() ?? Number.POSITIVE_INFINITY, nowMs + ms)
      runDue()
      return state()
    },
    track,
    requestStarted,
    requestEnded,
    wrap: (fetch) => async (request) => {
      requestStarted()
      try {
        return await fetch(request)
      } finally {
        requestEnded()
      }
    },
  }
}
