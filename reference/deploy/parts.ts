import type { ToolOptions, ToolParts, Wrappers } from './options.ts'
import type { EndpointConfig, Project } from './project.ts'

/** Heading Limits: the cache of peer addresses. */
const cacheMs = 300_000

/** The functions of a tool with its wrappers laid over them. */
export function partsOf({ basePackages, parts, serverTemplate, template }: ToolOptions): ToolParts {
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
    bodyOf: ({ name, type, workersMin, workersMax }) => ({
      name,
      templateId: type === 'queue' ? template : serverTemplate,
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
