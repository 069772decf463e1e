import type { Call, Caller, CallOptions } from '../../client/caller.ts'
import type { PodOperation } from '../../exchange/exchange.ts'

/** The pod API as a rule calls it. Bodies are JSON values, or `raw(…)` for bytes as they are, or `nothing`. */
export type PodClient = ReturnType<typeof createPodClient>

/** An id that no platform issues and every platform can be asked for. */
export const noSuchPod = 'plumbline-no-such-pod'

/** One method for each operation. */
export function createPodClient(caller: Caller) {
  type Options = CallOptions | undefined
  const call = (operation: PodOperation, call?: Call) => caller.call(operation, call)
  return {
    ...caller,
    /** Lists the pods. */
    list: (options?: Options) => call('listPods', options),
    /** Creates a pod. */
    create: (body: unknown, options?: Options) => call('createPod', { ...options, body }),
    /** Reads a pod. */
    get: (id: string, options?: Options) => call('getPod', { ...options, ids: { id } }),
    /** Changes a pod. */
    patch: (id: string, body: unknown, options?: Options) => call('updatePod', { ...options, ids: { id }, body }),
    /** Deletes a pod. */
    delete: (id: string, options?: Options) => call('deletePod', { ...options, ids: { id } }),
    /** The action with the described body: `{"action": …}`. */
    act: (id: string, action: string, options?: Options) =>
      call('triggerPodAction', { ...options, ids: { id }, body: { action } }),
    /** The action call with a body of any kind. */
    actWith: (id: string, body: unknown, options?: Options) =>
      call('triggerPodAction', { ...options, ids: { id }, body }),
    /** Lists the CPU flavors. */
    cpus: (options?: Options) => call('listCpuFlavors', options),
  }
}
