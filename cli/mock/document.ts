interface Path {
  readonly servers?: readonly { readonly url: string }[]
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Path>>
}

/**
 * The API document as a server at an address gives it: each operation is at this address, except those of load-balanced
 * endpoints, which have an address each.
 */
export function documentAt(document: ApiDocument, url: string): object {
  const paths = Object.entries(document.paths).map(([path, { servers = [], ...item }]) => {
    const isElsewhere = servers.some((server) => server.url === '{lb_url}')
    return [path, isElsewhere ? { servers, ...item } : item]
  })
  const servers = [{ url, description: 'This server.' }]
  return { ...document, servers, paths: Object.fromEntries(paths) }
}
