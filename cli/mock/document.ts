import { openapi } from '../../generated/openapi.ts'

interface Path {
  readonly servers?: readonly { readonly url: string }[]
}

/**
 * The API document as a server at an address gives it: each operation is at this address, except those of load-balanced
 * endpoints, which have an address each.
 */
export function documentAt(url: string): object {
  const paths = Object.entries(openapi.paths as Readonly<Record<string, Path>>).map(
    ([path, { servers = [], ...item }]) => {
      const isElsewhere = servers.some((server) => server.url === '{lb_url}')
      return [path, isElsewhere ? { servers, ...item } : item]
    },
  )
  const servers = [{ url, description: 'This server.' }]
  return { ...openapi, servers, paths: Object.fromEntries(paths) }
}
