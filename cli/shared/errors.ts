/**
 * The request of the user cannot be carried out: exit 2, or 3 if the fault of the system is that this machine lacks
 * something. The user sees only the message.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
  }
}

/** The harness itself failed: exit 4. */
export class BrokenError extends Error {
  override readonly name = 'BrokenError'
}

/** The target cannot be reached, so there is nothing to run: exit 5. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}
