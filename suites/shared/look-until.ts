import type { Context } from '../../harness/rule/context.ts'

/**
 * Looks until `isDone`, with growing pauses, at most for `boundMs` after the first look.
 * @returns the last look, which need not be done
 */
export async function lookUntil<T>(
  { clock, target }: Pick<Context, 'clock' | 'target'>,
  boundMs: number,
  look: () => Promise<T>,
  isDone: (seen: T) => boolean,
): Promise<T> {
  const { pollMs } = target.tolerances
  let seen = await look()
  const endMs = clock.now() + boundMs
  for (let pauseMs = pollMs; !isDone(seen) && clock.now() < endMs; pauseMs = Math.min(2 * pauseMs, 4 * pollMs)) {
    await clock.sleep(Math.min(pauseMs, Math.max(1, endMs - clock.now())))
    seen = await look()
  }
  return seen
}
