import { createAgenda } from './agenda.ts'
import type { ClockState, ReferenceClock } from './types.ts'

/** The clock of the machine. It cannot be advanced, and it holds no process open. */
interface RealClock extends ReferenceClock {
  state(): ClockState
  /** Forgets all events and stops the timer. */
  close(): void
}

/** The longest delay of a timer, in milliseconds; what is due later is looked at again then. */
const LONGEST_DELAY_MS = 2 ** 31 - 1

/** One timer, for the earliest event, whatever the number of events. */
export function createRealClock(): RealClock {
  const agenda = createAgenda()
  let timer: NodeJS.Timeout | undefined
  let timerAtMs = Number.POSITIVE_INFINITY

  const disarm = (): void => {
    clearTimeout(timer)
    timerAtMs = Number.POSITIVE_INFINITY
  }

  const arm = (): void => {
    const nextMs = agenda.nextMs()
    if (nextMs === null || nextMs >= timerAtMs) return
    clearTimeout(timer)
    timerAtMs = nextMs
    timer = setTimeout(wake, Math.min(Math.max(nextMs - Date.now(), 0), LONGEST_DELAY_MS))
    timer.unref()
  }

  const wake = (): void => {
    timerAtMs = Number.POSITIVE_INFINITY
    try {
      for (let run = agenda.takeDue(Date.now()); run !== undefined; run = agenda.takeDue(Date.now())) void run()
    } finally {
      arm()
    }
  }

  return {
    now: () => Date.now(),
    schedule(atMs, run) {
      const cancel = agenda.add(atMs, run)
      arm()
      return cancel
    },
    state: () => ({ nowMs: Date.now(), nextMs: agenda.nextMs(), busy: [], open: 0 }),
    close() {
      agenda.clear()
      disarm()
    },
  }
}
