import { createDeployAccess } from './deploy/access.ts'
import { createLbAccess } from './lb/access.ts'
import { outlasting } from './outlasting.ts'
import { createOwnResources } from './own-resources.ts'
import { createClients, type OwnerContext } from './owner.ts'
import type { Plane, PlaneAccess } from './plane.ts'
import { createPodAccess } from './pods/access.ts'
import { createQueueAccess } from './queue/access.ts'

/** Planes whose rules need more than calls of operations and removal. */
const special: Readonly<Record<string, (host: OwnerContext) => PlaneAccess>> = {
  pods: createPodAccess,
  queue: createQueueAccess,
  deploy: createDeployAccess,
  lb: createLbAccess,
}

/** An owner's access to a plane. */
export function createAccess(plane: Plane, host: OwnerContext): PlaneAccess {
  return special[plane.name]?.(host) ?? createPlainAccess(plane, host)
}

function createPlainAccess(plane: Plane, host: OwnerContext): PlaneAccess {
  const { note, removables } = createOwnResources(plane, host.shared.resources)
  const repeat = outlasting(plane, (ms) => host.actor.sleep(ms))
  const optionsOf = (key: string) => ({
    repeat,
    note: (operation: string, call: object) => note(operation, call, key),
  })
  return { as: createClients(plane, host, optionsOf, (caller) => caller), removables }
}
