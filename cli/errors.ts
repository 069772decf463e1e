/** What was asked for cannot be done as it was asked: exit 2. The message is the whole of what a user sees. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The harness itself failed: exit 4. */
export class BrokenError extends Error {
  override readonly name = 'BrokenError'
}
