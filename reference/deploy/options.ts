/** An endpoint of a project. */
interface EndpointConfig {
  readonly name: string
  readonly type: 'queue' | 'load-balanced'
  readonly handler?: string
  readonly server?: string
  readonly routes?: readonly string[]
  readonly workersMin: number
  readonly workersMax: number
}

/**
 * A `project.json` (`docs/deploy-driver.md`), as a tool reads it. The harness has its own type: the reference shares none
 * with it.
 */
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

/** Choices that the description leaves to a tool. */
interface ToolStyle {
  readonly format: 'tar.gz' | 'zip'
  /** A name that several configurations have; `created` breaks the description. */
  readonly sameName: 'refused' | 'merged' | 'created'
  /** Path of the manifest in a package. */
  readonly manifest: string
  /** When a deployment packs the project: before it creates endpoints, or after, which breaks the description. */
  readonly packs: 'first' | 'last'
}

/** Functions of the tool that can be replaced one by one. */
export interface ToolParts {
  /** The endpoints that a project makes. */
  endpointsOf(project: Project): readonly EndpointConfig[]
  /** True if a package leaves a dependency out. */
  leavesOut(dependency: string, project: Project): boolean
  manifestOf(project: Project): object
  /** The files of a package, the manifest aside. */
  filesOf(tree: SourceTree): readonly SourceFile[]
  /** The creation body of an endpoint. */
  bodyOf(config: EndpointConfig): Readonly<Record<string, unknown>>
  /** True if an endpoint of the account is removed under this name. */
  isNamed(shown: string, name: string): boolean
  /** True if an address that was looked up so long ago, ms, is used again. */
  isFresh(ageMs: number): boolean
  /** The list of endpoints as it is shown. */
  shown(endpoints: readonly Listed[]): readonly Listed[]
  /** Throws ToolRefusal for a project that is not packed. */
  admit(tree: SourceTree): void
  /** The message about a refusal. */
  says(refusal: string): string
}

/** An endpoint that the tool lists. */
export interface Listed {
  readonly name: string
  readonly id: string
  readonly url?: string
}

export type Wrappers = { readonly [P in keyof ToolParts]?: (original: ToolParts[P]) => ToolParts[P] }

/** Options of the tool. */
export interface ToolOptions {
  /** Largest package, bytes. */
  readonly limitBytes: number
  /** Packages of the base image. */
  readonly basePackages: readonly string[]
  /** The templates of queue-based and of load-balanced endpoints. */
  readonly template: string
  readonly serverTemplate: string
  /** The template of functions called `decoy`, which return the name of their endpoint: the API takes no code. */
  readonly decoyTemplate: string
  readonly style: ToolStyle
  readonly parts: readonly Wrappers[]
}

export const defaultTool: ToolOptions = {
  // Heading Limits: 1.5 GB.
  limitBytes: 1_500_000_000,
  basePackages: ['plumbline-base'],
  template: 'tpl-worker',
  serverTemplate: 'tpl-server',
  decoyTemplate: 'tpl-name',
  style: { format: 'tar.gz', sameName: 'refused', manifest: 'manifest.json', packs: 'first' },
  parts: [],
}

/** Heading Limits: the cache of peer addresses. */
const cacheMs = 300_000

/** The functions of a tool with its wrappers laid over them. */
export function partsOf(options: ToolOptions): ToolParts {
  const { basePackages, decoyTemplate, parts, serverTemplate, template } = options
  const own: ToolParts = {
    endpointsOf: ({ endpoints }) => endpoints,
    leavesOut: (dependency, { exclude }) => [...basePackages, ...exclude].includes(dependency),
    manifestOf,
    filesOf({ project, files }) {
      const folders = project.dependencies.map(({ name, path }) => ({ name, begin: `${path}/` }))
      return files.flatMap((file) => {
        const folder = folders.find(({ begin }) => file.path.startsWith(begin))
        if (folder === undefined) return [file]
        return [{ ...file, path: `dependencies/${folder.name}/${file.path.slice(folder.begin.length)}` }]
      })
    },
    bodyOf: ({ handler, name, type, workersMin, workersMax }) => ({
      name,
      templateId: type === 'queue' ? (handler?.endsWith(':decoy') ? decoyTemplate : template) : serverTemplate,
      workersMin,
      workersMax,
      idleTimeout: 5,
    }),
    // A platform may add a word to names.
    isNamed: (shown, name) => shown === name || shown.startsWith(`${name} `),
    isFresh: (ageMs) => ageMs < cacheMs,
    shown: (endpoints) => endpoints,
    admit() {},
    says: (refusal) => refusal,
  }
  for (const wrappers of parts) Object.assign(own, wrapped(own, wrappers))
  return own
}

function wrapped(parts: ToolParts, wrappers: Wrappers): Partial<ToolParts> {
  const names = Object.keys(wrappers) as (keyof ToolParts)[]
  const wrap = (name: keyof ToolParts) =>
    (wrappers[name] as ((original: unknown) => unknown) | undefined)?.(parts[name])
  return Object.fromEntries(names.map((name) => [name, wrap(name)]))
}

function manifestOf({ name, endpoints, dependencies, exclude }: Project): object {
  const resources = Object.fromEntries(endpoints.map((endpoint) => [endpoint.name, resourceOf(endpoint)]))
  return { name, resources, dependencies: dependencies.map((one) => one.name), exclude }
}

function resourceOf({ type, handler, server, routes, workersMin, workersMax }: EndpointConfig): object {
  const serves = type === 'queue' ? { functions: [handler] } : { server, routes }
  return { type, ...serves, workersMin, workersMax }
}
