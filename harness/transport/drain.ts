import { setTimeout as sleep } from 'node:timers/promises'
import type { Transport } from './types.ts'

/** Real ms for which the last responses are waited for; those that the target holds come later. */
const lastMs = 1_000

/** A transport that can be told to send nothing more. */
export function drainable(send: Transport) {
  const underWay = new Set<Promise<unknown>>()
  let isOver = false
  const draining: Transport = (request, patience) => {
    // Whoever sends now waits until the process ends.
    if (isOver) return new Promise(() => {})
    const response = send(request, patience)
    const done = () => underWay.delete(response)
    underWay.add(response)
    response.then(done, done)
    return response
  }
  return {
    send: draining,
    /** True once nothing more is sent. */
    isOver: () => isOver,
    /** Sends nothing more. Resolves once each request under way has its response, after a second at the latest. */
    async drain(): Promise<void> {
      isOver = true
      await Promise.race([Promise.allSettled(underWay), sleep(lastMs)])
    },
  }
}
