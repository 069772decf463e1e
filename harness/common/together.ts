/**
 * Runs so many concurrent workers and rejects with the first failure once all have ended, so that what they share
 * remains until then. The failure aborts `stop`, which tells the others to end.
 */
export async function together(count: number, line: () => Promise<void>, stop: AbortController): Promise<void> {
  const lines = Array.from({ length: count }, () => line().catch((error: unknown) => stop.abort(error)))
  await Promise.all(lines)
  stop.signal.throwIfAborted()
}
