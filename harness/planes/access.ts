import { createDeployAccess } from './deploy/access.ts'
import { createLbAccess } from './lb/access.ts'
import { createResourceAccess } from './own-resources.ts'
import type { OwnerContext } from './owner.ts'
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
  return special[plane.name]?.(host) ?? createResourceAccess(plane, host, (caller) => caller)
}
