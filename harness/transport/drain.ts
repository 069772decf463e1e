import { setTimeout as sleep } from 'node:timers/promises'
import type { Transport } from './types.ts'

/** Real ms for which the last responses are waited for: they tell what was created, and so what to remove. */
export const drainMs = 20_000

/** A transport that can be told to send nothing more. */
export function drainable(send: Transport, longestMs = drainMs) {
  const underWay = new Set<Promise<unknown>>()
  let isOver = false
  const draining: Transport = (request, patience) => {
    // Whoever sends now waits until the process ends.
    if (isOver) return new Promise(() => {})
    const response = send(request, patience)
    // Reads create nothing.
    if (request.method === 'GET') return response
    const done = () => underWay.delete(response)
    underWay.add(response)
    response.then(done, done)
    return response
  }
  return {
    send: draining,
    /** True once nothing more is sent. */
    isOver: () => isOver,
    /** Sends nothing more. Resolves once each request under way that may create something has its response, or in time. */
    async drain(): Promise<void> {
      isOver = true
      await Promise.race([Promise.allSettled(underWay), sleep(longestMs)])
    },
  }
}
