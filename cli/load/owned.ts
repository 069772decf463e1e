import { UsageError } from '../errors.ts'
import { isLoopback } from '../loopback.ts'

/**
 * Load goes to this machine, or to a host with its owner's permission. Throws UsageError for another address, and for a
 * statement about another host than the target's.
 */
export function refuseUnowned(urls: readonly string[], stated: string | undefined): void {
  const hosts = [...new Set(urls.map((url) => new URL(url)))].filter(({ hostname }) => !isLoopback(hostname))
  const foreign = hosts.find(({ hostname, host }) => stated !== hostname && stated !== host)
  if (foreign !== undefined) {
    const said = stated === undefined ? '' : `, not of ${stated}`
    throw new UsageError(
      `load on ${foreign.hostname} needs the permission of its owner${said}; add --i-own-this ${foreign.hostname} if that is you`,
    )
  }
}
