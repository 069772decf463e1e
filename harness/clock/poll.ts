import type { Actor } from './types.ts'

/**
 * Looks, and again after each pause, until `isDone`.
 * @param pauses in ms; the first is asked for after the first look
 * @returns the last look, done or not
 */
export async function pollOn<T>(
  clock: { sleep(ms: number): Promise<unknown> },
  pauses: Iterable<number>,
  look: () => Promise<T>,
  isDone: (seen: T) => boolean,
): Promise<T> {
  let seen = await look()
  if (isDone(seen)) return seen
  for (const ms of pauses) {
    await clock.sleep(ms)
    seen = await look()
    if (isDone(seen)) break
  }
  return seen
}

/** Equal pauses until `endMs` on this clock. */
export function* evenPauses(clock: { now(): number }, pauseMs: number, endMs: number): Generator<number, void, void> {
  while (clock.now() < endMs) yield pauseMs
}

/** Pauses that double up to four times the first, until `boundMs` after the first look on this clock, where the last one ends. */
export function* pausesWithin(
  clock: Pick<Actor, 'now'>,
  firstMs: number,
  boundMs: number,
): Generator<number, void, void> {
  const endMs = clock.now() + boundMs
  for (let pauseMs = firstMs; clock.now() < endMs; pauseMs = Math.min(2 * pauseMs, 4 * firstMs)) {
    yield Math.min(pauseMs, Math.max(1, endMs - clock.now()))
  }
}

/** Pauses that double from the first to the longest, until they add up to `totalMs` or more. */
export function* doublingPauses(firstMs: number, longestMs: number, totalMs: number): Generator<number, void, void> {
  let pauseMs = firstMs
  for (let waitedMs = 0; waitedMs < totalMs; ) {
    yield pauseMs
    waitedMs += pauseMs
    pauseMs = Math.min(2 * pauseMs, longestMs)
  }
}
