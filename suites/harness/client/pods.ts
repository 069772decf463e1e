import type { HeaderPairs, PodOperation } from '../exchange.ts'
import type { PodPlane } from '../target/types.ts'
import { bytesOf } from './body.ts'
import type { Reply } from './reply.ts'
import type { Outgoing } from './sender.ts'

/** What a request may have other than usual. */
export interface CallOptions {
  /** The Authorization header as it is sent; null sends none. */
  readonly authorization?: string | null
  /** The Content-Type of the body; null sends none. */
  readonly contentType?: string | null
  readonly headers?: HeaderPairs
  /** Takes a 429 as the answer instead of waiting it out. */
  readonly raw429?: boolean
}

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

export interface PodClientOptions {
  readonly plane: PodPlane
  readonly key: { readonly name: string; readonly value: string }
  readonly send: (outgoing: Outgoing) => Promise<Reply>
  /** Told before a creation is sent and after it was answered, so that nothing is left behind. */
  readonly creating: (body: unknown) => (reply: Reply) => void
  /** Told of an id that was removed. */
  readonly removed: (id: string) => void
}

const methods: Readonly<Record<PodOperation, string>> = {
  listPods: 'GET',
  createPod: 'POST',
  getPod: 'GET',
  updatePod: 'PATCH',
  deletePod: 'DELETE',
  triggerPodAction: 'POST',
  listCpuFlavors: 'GET',
}

export function createPodClient({ plane, key, send, creating, removed }: PodClientOptions): PodClient {
  function call(operation: PodOperation, id: string | null, body: unknown, options: CallOptions = {}): Promise<Reply> {
    const { authorization = `Bearer ${key.value}`, headers = [], raw429 = false } = options
    const bytes = bytesOf(body)
    const contentType =
      options.contentType === undefined && body !== undefined ? 'application/json' : options.contentType
    return send({
      operation,
      subject: id,
      key: options.authorization === undefined ? key.name : null,
      method: methods[operation],
      url: plane.url + plane.paths[operation].replace('{id}', encodeURIComponent(id ?? '')),
      headers: [
        ['Accept', 'application/json, application/problem+json'],
        ['Accept-Encoding', 'identity'],
        ...(authorization === null ? [] : [['Authorization', authorization] as const]),
        ...(contentType === undefined || contentType === null ? [] : [['Content-Type', contentType] as const]),
        ...headers,
      ],
      body: bytes,
      raw429,
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
      if (reply.status < 300) removed(id)
      return reply
    },
    act: (id, action, options) => call('triggerPodAction', id, { action }, options),
    actWith: (id, body, options) => call('triggerPodAction', id, body, options),
    cpus: (options) => call('listCpuFlavors', null, undefined, options),
  }
}
