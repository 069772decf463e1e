import { createCreated } from './created.ts'
import { createClients, type Host } from './owner.ts'
import type { Plane, Side } from './plane.ts'
import { createPodSide } from './pods/side.ts'
import { createQueueSide } from './queue/side.ts'

/** Planes whose rules have more than the operations and the removal of what they create. */
const special: Readonly<Record<string, (host: Host) => Side>> = { pods: createPodSide, queue: createQueueSide }

/** What an owner has of a plane. */
export function createSide(plane: Plane, host: Host): Side {
  return special[plane.name]?.(host) ?? createPlainSide(plane, host)
}

function createPlainSide(plane: Plane, host: Host): Side {
  const { note, leftovers } = createCreated(plane, host.shared.resources)
  const optionsOf = (key: string) => ({ note: (operation: string, call: object) => note(operation, call, key) })
  return { as: createClients(plane, host, optionsOf, (caller) => caller), leftovers }
}
