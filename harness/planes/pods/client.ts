import { operations } from '../../../generated/operations.ts'
import type { Call, Caller, CallerOptions } from '../../client/caller.ts'
import type { CallOptions } from '../../client/headers.ts'
import { outlast } from '../../client/outage.ts'
import type { Reply } from '../../client/reply.ts'
import type { PodOperation } from '../../exchange/exchange.ts'
import { isOutage } from '../../rule/check.ts'

/** The pod API as a rule calls it. Bodies are JSON values, or `raw(…)` for bytes as they are, or `nothing`. */
export interface PodClient extends Caller {
  list(options?: CallOptions): Promise<Reply>
  create(body: unknown, options?: CallOptions): Promise<Reply>
  get(id: string, options?: CallOptions): Promise<Reply>
  patch(id: string, body: unknown, options?: CallOptions): Promise<Reply>
  delete(id: string, options?: CallOptions): Promise<Reply>
  /** The action with the described body: `{"action": …}`. */
  act(id: string, action: string, options?: CallOptions): Promise<Reply>
  /** The action call with a body of any kind. */
  actWith(id: string, body: unknown, options?: CallOptions): Promise<Reply>
  cpus(options?: CallOptions): Promise<Reply>
}

/** An id that no platform issues and every platform can be asked for. */
export const noSuchPod = 'plumbline-no-such-pod'

/** One method for each operation. */
export function createPodClient(caller: Caller): PodClient {
  const call = (operation: PodOperation, call?: Call) => caller.call(operation, call)
  return {
    ...caller,
    list: (options) => call('listPods', options),
    create: (body, options) => call('createPod', { ...options, body }),
    get: (id, options) => call('getPod', { ...options, ids: { id } }),
    patch: (id, body, options) => call('updatePod', { ...options, ids: { id }, body }),
    delete: (id, options) => call('deletePod', { ...options, ids: { id } }),
    act: (id, action, options) => call('triggerPodAction', { ...options, ids: { id }, body: { action } }),
    actWith: (id, body, options) => call('triggerPodAction', { ...options, ids: { id }, body }),
    cpus: (options) => call('listCpuFlavors', options),
  }
}

/** Repeats harmless requests while a gateway answers in place of the API. */
export function outlasting(sleep: (ms: number) => Promise<unknown>): NonNullable<CallerOptions['repeat']> {
  return async (operation, call, send) => {
    const again = () => send(operation, call)
    const first = await again()
    const { method } = operations[operation as PodOperation]
    const isHarmless = method === 'GET' || call.repeats === true || call.authorization !== undefined
    if (!isOutage(first) || !isHarmless) return first
    const other = () => (operation === 'listPods' ? send('getPod', { ids: { id: noSuchPod } }) : send('listPods', {}))
    return outlast(first, { again, other, sleep })
  }
}
