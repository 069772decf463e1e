import { type Members, membersOf } from '../../harness/exchange/read.ts'

/** How long metrics may be cached, ms. */
export const cachedMs = 60_000
/** How much an uptime in whole seconds may be off, ms. */
export const slackMs = 2_000

/** The uptime that a pod shows, ms; null if it shows none. */
export function uptimeIn(pod: Members | null): number | null {
  const uptime = membersOf(pod?.runtime)?.uptime
  return typeof uptime === 'number' ? uptime * 1_000 : null
}
