import type { EndpointConfig, Project, SourceFile, SourceTree } from './project.ts'

/** Choices that the description leaves to a tool. */
export interface ToolStyle {
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
  readonly style: ToolStyle
  readonly parts: readonly Wrappers[]
}

export const defaultTool: ToolOptions = {
  // Heading Limits: 1.5 GB.
  limitBytes: 1_500_000_000,
  basePackages: ['plumbline-base'],
  template: 'tpl-worker',
  serverTemplate: 'tpl-server',
  style: { format: 'tar.gz', sameName: 'refused', manifest: 'manifest.json', packs: 'first' },
  parts: [],
}
