import type { Limiter, LimitWindow, WindowReading } from './limiter.ts'

interface Count {
  readonly window: LimitWindow
  readonly lengthMs: number
  startMs: number
  taken: number
}

/** Windows that begin at whole multiples of their length, for every user at the same moment. */
export function createFixedWindows(windows: readonly LimitWindow[]): Limiter {
  return createWindows(windows, (nowMs, lengthMs) => nowMs - (nowMs % lengthMs))
}

/** Windows that begin with the first request of a user after the last one ended. */
export function createFirstRequestWindows(windows: readonly LimitWindow[]): Limiter {
  return createWindows(windows, (nowMs) => nowMs)
}

/** O(1) a request: one count for each user and window, looked at when a request comes. */
function createWindows(windows: readonly LimitWindow[], beginOf: (nowMs: number, lengthMs: number) => number): Limiter {
  const users = new Map<string, readonly Count[]>()

  const countsOf = (user: string): readonly Count[] => {
    const known = users.get(user)
    if (known !== undefined) return known
    const counts = windows.map((window) => ({
      window,
      lengthMs: window.seconds * 1000,
      startMs: Number.NEGATIVE_INFINITY,
      taken: 0,
    }))
    users.set(user, counts)
    return counts
  }

  return {
    take(user, nowMs) {
      const counts = countsOf(user)
      let isRefused = false
      for (const count of counts) {
        if (nowMs >= count.startMs + count.lengthMs) {
          count.startMs = beginOf(nowMs, count.lengthMs)
          count.taken = 0
        }
        if (count.taken >= count.window.quota) isRefused = true
      }
      if (!isRefused) for (const count of counts) count.taken++
      return { isRefused, windows: counts.map((count) => read(count, nowMs)) }
    },
  }
}

function read({ window, lengthMs, startMs, taken }: Count, nowMs: number): WindowReading {
  const { name, quota, seconds } = window
  const resetSeconds = Math.ceil((startMs + lengthMs - nowMs) / 1000)
  return { name, quota, seconds, remaining: quota - taken, resetSeconds }
}
