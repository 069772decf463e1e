import { existsSync, readFileSync } from 'node:fs'

/** Linux: nanoseconds that the main thread ran, and that it waited for a processor. */
const scheduleFile = '/proc/self/schedstat'

/**
 * From this share on, other processes decide which side is slower, and for seconds on end. On two idle processors it was 0.26 to
 * 0.29 while targets of 20 ms were measured, and 0.37 to 0.68 beside other work.
 */
const busyShare = 1 / 3

/** Returns the share of its time for which this process waited for a processor since then; null if the system does not tell. */
export function watchProcessor(): () => number | null {
  const before = schedule()
  return () => {
    const now = schedule()
    if (before === null || now === null) return null
    const [ran, waited] = [now.ran - before.ran, now.waited - before.waited]
    return ran + waited === 0 ? 0 : waited / (ran + waited)
  }
}

/** The slowdown that a machine may cause by itself, as a ratio minus 1: 0 unless it is busy. `waitedShare`: null if unknown. */
export function slowdownBy(waitedShare: number | null): number {
  return waitedShare !== null && waitedShare > busyShare ? waitedShare : 0
}

function schedule(): { readonly ran: number; readonly waited: number } | null {
  if (!existsSync(scheduleFile)) return null
  const [ran = 0, waited = 0] = readFileSync(scheduleFile, 'utf8').split(' ').map(Number)
  return { ran, waited }
}
