import { setImmediate as nextTurn } from 'node:timers/promises'

/** Real ms after which signals and messages of other threads must get a turn of the event loop. */
const mostMs = 5

/** A wait until all code has run that goes on after settled promises: far cheaper than a turn of the event loop. */
export function createDrained(): () => Promise<void> {
  let turnedMs = performance.now()
  return async () => {
    if (performance.now() - turnedMs < mostMs) return new Promise((resolve) => process.nextTick(resolve))
    await nextTurn()
    turnedMs = performance.now()
  }
}
