/** An endpoint of a project. */
export interface EndpointConfig {
  readonly name: string
  readonly type: 'queue' | 'load-balanced'
  readonly handler?: string
  readonly server?: string
  readonly routes?: readonly string[]
  readonly workersMin: number
  readonly workersMax: number
}

/** A `project.json`: see `docs/deploy-driver.md`. */
export interface Project {
  readonly name: string
  readonly endpoints: readonly EndpointConfig[]
  readonly dependencies: readonly { readonly name: string; readonly path: string }[]
  readonly exclude: readonly string[]
}

/** A file of a project or a package. */
export interface SourceFile {
  readonly path: string
  readonly bytes: number
  read(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** A project with its files, without `project.json`. */
export interface SourceTree {
  readonly project: Project
  readonly files: readonly SourceFile[]
}

/** A refusal of the tool: one sentence for its user. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal'
}
