import type { PodPlane } from '../../target/types.ts'
import type { PodOperation } from '../exchange/exchange.ts'
import { isOutage } from '../rule/check.ts'
import { bytesOf } from './body.ts'
import { type CallOptions, headersOf } from './headers.ts'
import { outlast } from './outage.ts'
import type { Reply } from './reply.ts'
import type { Outgoing } from './sender.ts'

/**
 * The pod API as a rule calls it; one method an operation, each with one key. Bodies are JSON values, or `raw(…)` for
 * bytes as they are, or `nothing`. Rejects with Inconclusive where no whole answer came.
 */
export interface PodClient {
  list(options?: CallOptions): Promise<Reply>
  create(body: unknown, options?: CallOptions): Promise<Reply>
  get(id: string, options?: CallOptions): Promise<Reply>
  patch(id: string, body: unknown, options?: CallOptions): Promise<Reply>
  delete(id: string, options?: CallOptions): Promise<Reply>
  /** The action with the body that the description asks for: `{"action": …}`. */
  act(id: string, action: string, options?: CallOptions): Promise<Reply>
  /** The action call with a body of any kind. */
  actWith(id: string, body: unknown, options?: CallOptions): Promise<Reply>
  cpus(options?: CallOptions): Promise<Reply>
}

export type { CallOptions } from './headers.ts'

export interface PodClientOptions {
  readonly plane: PodPlane
  readonly key: { readonly name: string; readonly value: string }
  readonly send: (outgoing: Outgoing) => Promise<Reply>
  readonly sleep: (ms: number) => Promise<unknown>
  /** Told before a creation is sent and after it was answered, so that nothing is left behind. */
  readonly creating: (body: unknown) => (reply: Reply) => void
  /** Told of an id that was removed. */
  readonly removed: (id: string) => void
}

/** No platform gives such an id, and each may be asked for it. */
export const noSuchPod = 'plumbline-no-such-pod'

/** The method of each operation (heading Endpoints). */
export const podMethods: Readonly<Record<PodOperation, string>> = {
  listPods: 'GET',
  createPod: 'POST',
  getPod: 'GET',
  updatePod: 'PATCH',
  deletePod: 'DELETE',
  triggerPodAction: 'POST',
  listCpuFlavors: 'GET',
}

export function createPodClient({ plane, key, send, sleep, creating, removed }: PodClientOptions): PodClient {
  async function call(
    operation: PodOperation,
    id: string | null,
    body: unknown,
    options: CallOptions = {},
  ): Promise<Reply> {
    const again = () => once(operation, id, body, options)
    const first = await again()
    const isHarmless =
      podMethods[operation] === 'GET' || options.repeats === true || options.authorization !== undefined
    if (!isOutage(first) || !isHarmless) return first
    const other = () =>
      operation === 'listPods' ? once('getPod', noSuchPod, undefined, {}) : once('listPods', null, undefined, {})
    return outlast(first, { again, other, sleep })
  }

  function once(operation: PodOperation, id: string | null, body: unknown, options: CallOptions): Promise<Reply> {
    return send({
      operation,
      subject: id,
      key: options.authorization === undefined ? key.name : null,
      method: podMethods[operation],
      url: plane.url + plane.paths[operation].replace('{id}', encodeURIComponent(id ?? '')),
      headers: headersOf(key.value, body !== undefined, 'application/json, application/problem+json', options),
      body: bytesOf(body),
      raw429: options.raw429 ?? false,
      atOnce: options.atOnce ?? false,
      ...(options.newConnection === undefined ? {} : { newConnection: options.newConnection }),
    })
  }
  return {
    list: (options) => call('listPods', null, undefined, options),
    async create(body, options) {
      const created = creating(body)
      const reply = await call('createPod', null, body, options)
      created(reply)
      return reply
    },
    get: (id, options) => call('getPod', id, undefined, options),
    patch: (id, body, options) => call('updatePod', id, body, options),
    async delete(id, options) {
      const reply = await call('deletePod', id, undefined, options)
      // With another key a target may say so and do nothing: that is one of the faults that are looked for.
      if (reply.status < 300 && key.name === 'full' && options?.authorization === undefined) removed(id)
      return reply
    },
    act: (id, action, options) => call('triggerPodAction', id, { action }, options),
    actWith: (id, body, options) => call('triggerPodAction', id, body, options),
    cpus: (options) => call('listCpuFlavors', null, undefined, options),
  }
}
