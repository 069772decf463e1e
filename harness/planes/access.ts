import type { Actor } from '../clock/types.ts'
import { createDeployAccess } from './deploy/access.ts'
import { planeNamed } from './index.ts'
import { createLbAccess } from './lb/access.ts'
import { createResourceAccess } from './own-resources.ts'
import type { OwnerContext } from './owner.ts'
import type { PlaneAccess } from './plane.ts'
import { createPodAccess } from './pods/access.ts'
import { createProbeAccess } from './probe/access.ts'
import { createQueueAccess } from './queue/access.ts'

/** Planes whose rules need more than calls of operations and removal. */
const special = {
  pods: createPodAccess,
  queue: createQueueAccess,
  deploy: createDeployAccess,
  lb: createLbAccess,
  probe: createProbeAccess,
}
type Special = typeof special

/** An owner's access to the plane of a name. */
export type AccessOf<Name extends string> = Name extends keyof Special ? ReturnType<Special[Name]> : PlaneAccess

/** The plane of a name with one key, as a rule calls it. */
export type ClientOf<Name extends string> = ReturnType<AccessOf<Name>['as']>

/** An owner as its fixtures see it. */
export interface PlaneOwner extends Pick<OwnerContext, 'actor' | 'pending' | 'rely'> {
  on<Name extends string>(plane: Name): AccessOf<Name>
}

/** Makes something that several owners use; all but the first wait for it. */
export type MakeOnce = <T>(name: string, waiter: Actor, make: (owner: PlaneOwner) => Promise<T>) => Promise<T>

/** An owner's access to a plane. Throws if there is none of that name. */
export function createAccess<Name extends string>(name: Name, host: OwnerContext): AccessOf<Name> {
  const plane = planeNamed(name)
  const make = (special as Readonly<Record<string, (host: OwnerContext) => PlaneAccess>>)[name]
  return (make?.(host) ?? createResourceAccess(plane, host, (caller) => caller)) as AccessOf<Name>
}
