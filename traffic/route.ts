import { type OperationId, operations } from '../generated/operations.ts'
import { routeOf } from '../harness/client/caller.ts'
import type { Exchange } from '../harness/exchange/exchange.ts'
import { allPlanes, sectionOf } from '../harness/planes/index.ts'
import type { LbPlane, Target } from '../target/types.ts'

/** The operation that a request calls, and the ids in its path. */
type Route = Pick<Exchange, 'operation' | 'subject' | 'endpoint'>

/** Finds the operation of a request; null if it is none, `elsewhere` if no plane of the target is at its host. */
type FindRoute = (method: string, url: string) => Route | null | 'elsewhere'

/** The addresses of each plane that is an HTTP API. */
export function basesOf(target: Target): { readonly plane: string; readonly url: string }[] {
  return allPlanes().flatMap(({ name }) => {
    const section = sectionOf(target, name)
    if (section === null || section.url === null || !isDocumented(Object.keys(section.paths)[0] ?? '')) return []
    const all = name === 'lb' ? Object.values((section as LbPlane).endpoints) : [section.url]
    return all.flatMap((url) => (url === null ? [] : [{ plane: name, url }]))
  })
}

/** Finds operations by the paths of the target, which are those of the API document unless its file has others. */
export function createFindRoute(target: Target): FindRoute {
  const candidates = basesOf(target)
    .flatMap(({ plane, url }) =>
      Object.entries(sectionOf(target, plane)?.paths ?? {})
        .filter((entry): entry is [OperationId, string] => isDocumented(entry[0]))
        .map(([operation, template]) => candidateOf(operation, template, url)),
    )
    .sort((a, b) => b.literal - a.literal)
  const origins = new Set(candidates.map(({ origin }) => origin))
  return (method, address) => {
    const { origin, pathname } = new URL(address)
    if (!origins.has(origin)) return 'elsewhere'
    for (const one of candidates) {
      const match = one.method === method && one.origin === origin ? one.path.exec(pathname) : null
      if (match !== null) return routeBy(one.operation, match.groups ?? {})
    }
    return null
  }
}

function isDocumented(operation: string): operation is OperationId {
  return Object.hasOwn(operations, operation)
}

function candidateOf(operation: OperationId, template: string, url: string) {
  const { method, path } = routeOf(template, operations[operation].method)
  const { origin, pathname } = new URL(url)
  const whole = pathname.replace(/\/$/, '') + path.replace(/\?.*$/, '')
  const pattern = whole
    .split(/(\{\w+\})/)
    .map((part) =>
      /^\{\w+\}$/.test(part) ? placeholder(part.slice(1, -1)) : part.replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&'),
    )
    .join('')
  const literal = whole.indexOf('{')
  return {
    operation,
    method,
    origin,
    path: new RegExp(`^${pattern}$`),
    /** Characters before the first placeholder: the longer, the more specific. */
    literal: literal === -1 ? whole.length : literal,
  }
}

/** A `{route}` is the rest of the path, with its slash. */
function placeholder(name: string): string {
  return `(?<${name}>${name === 'route' ? '(?:/.*)?' : '[^/]+'})`
}

function routeBy(operation: OperationId, groups: Readonly<Record<string, string>>): Route {
  const { endpoint, route: _, ...subjects } = groups
  const [subject = null] = Object.values(subjects).map(decoded)
  return { operation, subject, ...(endpoint === undefined ? {} : { endpoint: decoded(endpoint) }) }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
