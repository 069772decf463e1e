/** The request of the user cannot be carried out: exit 2. The user sees only the message. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The harness itself failed: exit 4. */
export class BrokenError extends Error {
  override readonly name = 'BrokenError'
}
