import { UsageError } from '../errors.ts'
import { isLoopback } from '../loopback.ts'

/**
 * Load goes to this machine, or to a host whose owner says so. Throws UsageError for any other address, and for a
 * statement about another host than the target's.
 */
export function refuseUnowned(urls: readonly string[], stated: string | undefined): void {
  const hosts = [...new Set(urls.map((url) => new URL(url)))].filter(({ hostname }) => !isLoopback(hostname))
  const foreign = hosts.find(({ hostname, host }) => stated !== hostname && stated !== host)
  if (foreign !== undefined) {
    const said = stated === undefined ? '' : `, not of ${stated}`
    throw new UsageError(
      `load is sent to ${foreign.hostname} only where its owner agrees${said}; add --i-own-this ${foreign.hostname} if that is you`,
    )
  }
}
