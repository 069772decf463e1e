import { splitUrl } from '../http/path.ts'

/** The endpoint that an address names, and the path and the query below it. */
export interface EndpointAddress {
  readonly endpoint: string
  readonly route: string
}

/** Finds the endpoint in an absolute URL; null if the URL is of another plane. */
type FindAddress = (url: string) => EndpointAddress | null

/** The address of an endpoint, given that of the reference. */
type WriteAddress = (url: string, endpoint: string) => string

/** How endpoints are told apart. */
export interface Addresses {
  readonly find: FindAddress
  readonly write: WriteAddress
}

const PREFIX = '/lb/'

/** A path for each endpoint: `/lb/ENDPOINT/…`. */
export const byPath: Addresses = {
  find(url) {
    const { pathname } = splitUrl(url)
    if (!pathname.startsWith(PREFIX)) return null
    const [endpoint = ''] = pathname.slice(PREFIX.length).split('/', 1)
    const begin = url.indexOf(PREFIX) + PREFIX.length + endpoint.length
    return { endpoint, route: routeAt(url, begin) }
  },
  write: (url, endpoint) => `${url}${PREFIX}${endpoint}`,
}

/** A host for each endpoint: `ENDPOINT.lb.HOST`; `localhost` stands for an IP address, which has no hosts below it. */
export const byHost: Addresses = {
  find(url) {
    const { host } = new URL(url)
    const [endpoint = '', next] = host.split('.', 2)
    return next === 'lb' ? { endpoint, route: routeAt(url, url.indexOf('://') + 3 + host.length) } : null
  },
  write: (url, endpoint) => url.replace(/:\/\/[\d.]+(?=:|$)/, '://localhost').replace('://', `://${endpoint}.lb.`),
}

/** A port for each endpoint, those in `ports`; an unknown endpoint has the port that none has. */
export function byPort(ports: ReadonlyMap<string, number>): Addresses {
  return {
    find(url) {
      const { host, port } = new URL(url)
      const own = [...ports].find(([, one]) => one === Number(port))
      return own === undefined ? null : { endpoint: own[0], route: routeAt(url, url.indexOf('://') + 3 + host.length) }
    },
    write(url, endpoint) {
      const address = new URL(url)
      address.port = String(ports.get(endpoint) ?? 1)
      return address.origin
    },
  }
}

function routeAt(url: string, begin: number): string {
  const hash = url.indexOf('#', begin)
  const route = url.slice(begin, hash === -1 ? undefined : hash)
  return route.startsWith('/') ? route : `/${route}`
}
