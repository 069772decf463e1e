import type { OpenApiDocument } from '../../generated/openapi.ts'
import { byPath } from '../../reference/index.ts'

interface Path {
  readonly servers?: readonly { readonly url: string }[]
}

/**
 * The API document as a server at an address gives it: each operation is at this address, and those of load-balanced
 * endpoints at the address of the normal one.
 */
export function documentAt(document: OpenApiDocument, url: string): object {
  const paths = Object.entries(document.paths as Record<string, Path>).map(([path, { servers = [], ...item }]) => {
    const isBalanced = servers.some((server) => server.url === '{lb_url}')
    const endpoint = { url: byPath.write(url, 'normal'), description: 'A load-balanced endpoint of this server.' }
    return [path, isBalanced ? { servers: [endpoint], ...item } : item]
  })
  const servers = [{ url, description: 'This server.' }]
  return { ...document, servers, paths: Object.fromEntries(paths) }
}
