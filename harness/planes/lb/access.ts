import { demand } from '../../../target/claims.ts'
import type { KeyName, LbRole } from '../../../target/types.ts'
import type { Beacon } from '../../receiver/types.ts'
import { Unclaimed } from '../../rule/outcome.ts'
import { createClients, type OwnerContext } from '../owner.ts'
import type { PlaneAccess } from '../plane.ts'
import { createLbClient, type LbClient } from './client.ts'
import { lb } from './plane.ts'

/** An owner's access to the load-balanced endpoints. */
export interface LbAccess extends PlaneAccess {
  as(key: KeyName): LbClient
  /** A beacon for one request. Throws Unclaimed or NotApplicable if the target does not reach the suite. */
  beacon(): Beacon
}

export function createLbAccess(host: OwnerContext): LbAccess {
  const { inboxes, shared } = host
  const { target } = shared
  const { answerMs, coldStartMs } = target.tolerances

  function addressOf(role: LbRole): string {
    if (role !== 'normal') demand(target, `lb.${role}`)
    const address = target.lb?.endpoints[role] ?? null
    if (address === null) throw new Unclaimed(`lb.endpoints.${role} is not given`)
    return address
  }

  return {
    as: createClients(
      lb,
      host,
      () => ({ note: () => () => {} }),
      (caller) => createLbClient({ caller, addressOf, answerMs: answerMs + coldStartMs }),
    ),
    beacon() {
      demand(target, 'receiver')
      const inbox = inboxes.open()
      if (inbox === null) throw new Unclaimed('receiver is not given')
      return inbox.beacon
    },
    removables: () => [],
    look: inboxes.look,
    releaseAll: inboxes.releaseAll,
  }
}
