import type { LbRole } from '../../../target/types.ts'
import { demand } from '../../claims/claims.ts'
import type { CallerOptions } from '../../client/caller.ts'
import { retryThroughGateway } from '../../client/retry.ts'
import type { Beacon } from '../../receiver/types.ts'
import { isOutage } from '../../rule/check.ts'
import { Unclaimed } from '../../rule/outcome.ts'
import { createClients, type OwnerContext } from '../owner.ts'
import { createLbClient } from './client.ts'
import { lb } from './plane.ts'

/** An owner's access to the load-balanced endpoints. */
export type LbAccess = ReturnType<typeof createLbAccess>

export function createLbAccess(host: OwnerContext) {
  const { actor, inboxes, services } = host
  const { target } = services
  const { answerMs, coldStartMs } = target.tolerances

  /** Sends a request again while a gateway answers; another route shows whether the endpoint answers at all. */
  const outlastingGateway: CallerOptions['repeat'] = async (operation, call, send) => {
    const first = await send(operation, call)
    if (call.repeats === false || !isOutage(first)) return first
    const { at, ids: { endpoint = '', route = '' } = {} } = call
    const other = { ...(at === undefined ? {} : { at }), ids: { endpoint, route: route === '/ping' ? '/' : '/ping' } }
    return retryThroughGateway(first, {
      again: () => send(operation, call),
      other: () => send('getRoute', other),
      sleep: (ms) => actor.sleep(ms),
    })
  }

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
      () => ({ note: () => () => {}, repeat: outlastingGateway }),
      (caller) => createLbClient(caller, addressOf, answerMs + coldStartMs),
    ),
    /** A beacon for one request. Throws Unclaimed or NotApplicable if the target does not reach the suite. */
    beacon(): Beacon {
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
