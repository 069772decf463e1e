/**
 * Runs as many lines of work beside each other, and rejects as the first that fails, once all have ended: whatever they
 * share is there until then. The failure aborts `stop`, by which the others see that they are to end as well.
 */
export async function together(count: number, line: () => Promise<void>, stop: AbortController): Promise<void> {
  const lines = Array.from({ length: count }, () => line().catch((error: unknown) => stop.abort(error)))
  await Promise.all(lines)
  stop.signal.throwIfAborted()
}
