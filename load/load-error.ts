/** Load could not be driven or recorded: what was expected, what came, what to do. Never a verdict about a target. */
export class LoadError extends Error {
  override readonly name: string = 'LoadError'
}

/** The record of a load is not what was written: a plan or its points were changed or are missing. */
export class DamagedLoad extends LoadError {
  override readonly name = 'DamagedLoad'
}

/** The points of an emitted load are not complete. Nothing is judged until they are. */
export class IncompletePoints extends Error {
  override readonly name = 'IncompletePoints'
}
