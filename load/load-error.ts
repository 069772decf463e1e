/** Load could not be driven or recorded: what was expected, what came, what to do. Never a verdict about a target. */
export class LoadError extends Error {
  override readonly name = 'LoadError'
}
