import type { CallerOptions } from '../client/caller.ts'
import { outlast } from '../client/outage.ts'
import { isOutage } from '../rule/check.ts'
import type { Plane } from './plane.ts'

/** Sends harmless requests of a plane again while a gateway answers in place of the API. */
export function outlasting(
  { creates, operations }: Pick<Plane, 'creates' | 'operations'>,
  sleep: (ms: number) => Promise<unknown>,
): NonNullable<CallerOptions['repeat']> {
  return async (operation, call, send) => {
    const again = () => send(operation, call)
    const first = await again()
    const isRead = operations[operation]?.method === 'GET'
    const isHarmless = isRead || call.repeats === true || call.authorization !== undefined
    if (creates === null || !isOutage(first) || !isHarmless) return first
    const { get, kind, list } = creates
    const other = () => (operation === list ? send(get, { ids: { id: `plumbline-no-such-${kind}` } }) : send(list, {}))
    return outlast(first, { again, other, sleep })
  }
}
