/** A file of a project: its text, or so many random bytes. */
export type ProjectFile = string | { readonly bytes: number }

/** An endpoint of a project. */
interface EndpointConfig {
  readonly name: string
  readonly type: 'queue' | 'load-balanced'
  /** File and function of a queue-based endpoint, such as `worker/handler.py:handler`. */
  readonly handler?: string
  /** File of the HTTP server of a load-balanced endpoint. */
  readonly server?: string
  /** Methods and paths of a load-balanced endpoint, such as `GET /ping`. */
  readonly routes?: readonly string[]
  readonly workersMin: number
  readonly workersMax: number
}

/** A package that a project depends on. */
interface Dependency {
  readonly name: string
  /** Its folder in the project. */
  readonly path: string
}

/** A project in the neutral form (`docs/deploy-driver.md`), as in its `project.json`. */
export interface Project {
  readonly name: string
  readonly endpoints: readonly EndpointConfig[]
  readonly dependencies: readonly Dependency[]
  /** Names of dependencies that the package leaves out. */
  readonly exclude: readonly string[]
}

/** A project with its other files, by their paths. */
export interface ProjectTree {
  readonly project: Project
  readonly files: Readonly<Record<string, ProjectFile>>
}

/** The contents of a package. */
export interface PackageSummary {
  readonly format: 'tar.gz' | 'zip' | 'unknown'
  readonly bytes: number
  /** Paths of the files, sorted. */
  readonly paths: readonly string[]
  /** Texts of the manifest and of small files that have the name of a file of the project, by path. */
  readonly texts: Readonly<Record<string, string>>
}

/** The end of a command: its exit code and output. */
export interface CommandEnd {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
  /** Of a build; null if it left no package. */
  readonly package?: PackageSummary | null
}

/** An endpoint in the list of the tool; `id` is its name, because the tool's commands take it. */
export interface Deployed {
  readonly name: string
  readonly id: string
  /** Its id in addresses of the API. */
  readonly endpoint: string
  /** Its own address, of a load-balanced endpoint. */
  readonly url?: string
}
