import type { Target } from '../../target/types.ts'
import { createLog } from '../client/allowance.ts'
import type { Outgoing } from '../client/channel.ts'
import { createGate, type Gate } from '../client/gate.ts'
import { planeOfOperation } from './index.ts'
import type { Plane } from './plane.ts'

/**
 * The gates of a run, one for each quota, made on first use. `refresh` sends a request of a plane with the full key, past
 * its gate.
 */
export function createGates(
  now: () => number,
  { budget: { requestsPerMinute }, tolerances: { rateWaitMs: longestMs } }: Pick<Target, 'budget' | 'tolerances'>,
  refresh: (plane: Plane, operation: string) => Promise<void>,
) {
  const gates = new Map<string, Gate>()
  const bound = requestsPerMinute === null ? null : createLog(requestsPerMinute, 60_000)
  /** The gate of the quota that a request counts against. */
  function gateOf(outgoing: Pick<Outgoing, 'operation' | 'endpoint' | 'key'>): Gate {
    const plane = planeOfOperation(outgoing.operation)
    const { pacing } = plane
    const name = `${plane.name} ${pacing.quotaOf(outgoing)}`
    let gate = gates.get(name)
    if (gate === undefined) {
      const allowance = pacing.allowance(outgoing, longestMs)
      const shows = pacing.refresh
      gate = createGate({
        allowance,
        now,
        longestMs,
        budget: pacing.isOfAccount ? bound : null,
        refresh: async () => (shows === null ? undefined : refresh(plane, shows)),
      })
      gates.set(name, gate)
    }
    return gate
  }

  return {
    gateOf,
    /** Why requests wait at a gate; null if none waits. */
    waits: () => [...gates.values()].map((gate) => gate.waits()).find((reason) => reason !== null) ?? null,
  }
}
