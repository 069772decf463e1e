import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'

/** Looks a host up. Names below localhost are this machine (RFC 6761, 6.3), which many resolvers do not know. */
export const lookupHost: LookupFunction = (hostname, options, callback) =>
  lookup(hostname.endsWith('.localhost') ? 'localhost' : hostname, options, callback)
