import type { Limiter, LimitWindow, WindowReading } from './limiter.ts'

interface Count {
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
    const counts = windows.map(() => ({ startMs: Number.NEGATIVE_INFINITY, taken: 0 }))
    users.set(user, counts)
    return counts
  }

  return {
    take(user, nowMs) {
      const counts = countsOf(user)
      let isRefused = false
      windows.forEach((window, n) => {
        const count = counts[n]
        if (count === undefined) return
        const lengthMs = window.seconds * 1000
        if (nowMs >= count.startMs + lengthMs) {
          count.startMs = beginOf(nowMs, lengthMs)
          count.taken = 0
        }
        if (count.taken >= window.quota) isRefused = true
      })
      if (!isRefused) for (const count of counts) count.taken++
      return { isRefused, windows: windows.map((window, n) => read(window, counts[n], nowMs)) }
    },
  }
}

function read(window: LimitWindow, count: Count | undefined, nowMs: number): WindowReading {
  const { name, quota, seconds } = window
  if (count === undefined) return { name, quota, seconds, remaining: quota, resetSeconds: seconds }
  const resetSeconds = Math.ceil((count.startMs + seconds * 1000 - nowMs) / 1000)
  return { name, quota, seconds, remaining: quota - count.taken, resetSeconds }
}
