/** First segments after the version that belong to the pod plane. */
export const podSegments = ['pods', 'catalog'] as const

/** The form of the id of an endpoint, which is a part of its address. */
export const endpointIdForm = /^[A-Za-z0-9_-]+$/

/** Where a request goes. */
export interface RequestPath {
  readonly pathname: string
  readonly hasQuery: boolean
}

/** The path of an absolute URL, and whether a query follows it; cheaper than parsing it. */
export function splitUrl(url: string): RequestPath {
  const begin = url.indexOf('/', url.indexOf('://') + 3)
  const hash = url.indexOf('#', begin)
  const end = hash === -1 ? url.length : hash
  const query = url.indexOf('?', begin)
  const isQuery = query !== -1 && query < end
  return { pathname: url.slice(begin, isQuery ? query : end), hasQuery: isQuery && query + 1 < end }
}
