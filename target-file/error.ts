/** One fault of a target file. `path` is the key path, such as `pods.cpu.id`; `line` counts from 1, 0 is unknown. */
export interface TargetFault {
  readonly line: number
  readonly path: string
  readonly message: string
}

/** The target file is invalid. The message names file, line and key of each fault, one per line. */
export class TargetFileError extends Error {
  override readonly name = 'TargetFileError'
  readonly faults: readonly TargetFault[]
  constructor(file: string, faults: readonly TargetFault[]) {
    super(faults.map(({ line, message }) => `${file}${line > 0 ? `:${line}` : ''}: ${message}`).join('\n'))
    this.faults = faults
  }
}
