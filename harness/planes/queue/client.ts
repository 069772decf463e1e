import type { EndpointRole, QueuePlane } from '../../../target/types.ts'
import type { ApiResponse } from '../../client/api-response.ts'
import { type Call, type Caller, pathOf, routeOf } from '../../client/caller.ts'
import type { PendingEvent } from '../../clock/types.ts'
import type { QueueOperation } from '../../exchange/exchange.ts'

type QueueCallOptions = Omit<Call, 'ids' | 'other'>

/**
 * One queue-based endpoint as a rule calls it, with one key and one method for each operation. Bodies are JSON values,
 * or `raw(…)` for bytes as they are, or `nothing`. `Result` is a promise of the response, which rejects with
 * Inconclusive without a complete one; `held` returns a pending event, for `clock.until`.
 */
interface Operations<Result> {
  run(body: unknown, options?: QueueCallOptions): Result
  /** Responds once the job has ended or its wait is over; time moves meanwhile. */
  runsync(body: unknown, options?: QueueCallOptions): Result
  status(job: string, options?: QueueCallOptions): Result
  /** May be held by the target while there is nothing new; time moves meanwhile. */
  stream(job: string, options?: QueueCallOptions): Result
  cancel(job: string, options?: QueueCallOptions): Result
  retry(job: string, options?: QueueCallOptions): Result
  /** Throws if the endpoint is not the dedicated one. */
  purge(options?: QueueCallOptions): Result
  health(options?: QueueCallOptions): Result
  requests(options?: QueueCallOptions): Result
  /** `route` is what follows /openai, as `/v1/chat/completions`; time moves until the response. */
  openai(route: string, body: unknown, options?: QueueCallOptions): Result
  /**
   * Any other request below the endpoint: another method, or a route that does not exist, such as `/nothing`; never a
   * purge.
   */
  other(method: string, route: string, body?: unknown, options?: QueueCallOptions): Result
}

export interface QueueClient extends Operations<Promise<ApiResponse>>, Caller {
  /** Id of the endpoint. */
  readonly endpoint: string
  /** The same calls, sent without waiting for the response. */
  readonly held: Operations<PendingEvent<ApiResponse>>
  /** The endpoint with another role. Throws Unclaimed or NotApplicable if the target has none. */
  on(role: EndpointRole): QueueClient
  /** An endpoint by its id, whether it exists or not. */
  at(endpoint: string): QueueClient
}

/** The queue plane with one key, at the normal endpoint. `endpointOf` demands the endpoint of a role from the target file. */
export function createQueueClient(
  caller: Caller,
  { endpoints, paths }: QueuePlane,
  endpointOf: (role: EndpointRole) => string,
): QueueClient {
  const clients = new Map<string, QueueClient>()

  function at(endpoint: string): QueueClient {
    const known = clients.get(endpoint)
    if (known !== undefined) return known

    const here = (call: Call = {}): Call => ({ ...call, ids: { endpoint, ...call.ids } })

    function operations<Result>(send: (operation: QueueOperation, call: Call) => Result): Operations<Result> {
      const make = (operation: QueueOperation, options?: QueueCallOptions, ids?: Call['ids'], more?: Call) =>
        send(operation, here({ ...more, ...options, ...(ids === undefined ? {} : { ids }) }))
      return {
        run: (body, options) => make('runJob', options, undefined, { body }),
        runsync: (body, options) => make('runJobSync', options, undefined, { body }),
        status: (job, options) => make('getJobStatus', options, { job }),
        stream: (job, options) => make('streamJob', options, { job }),
        cancel: (job, options) => make('cancelJob', options, { job }),
        retry: (job, options) => make('retryJob', options, { job }),
        purge(options) {
          if (endpoint !== endpoints.dedicated) {
            throw new Error('a purge is sent to the dedicated endpoint alone: queue.on("dedicated").purge()')
          }
          return make('purgeQueue', options)
        },
        health: (options) => make('getEndpointHealth', options),
        requests: (options) => make('listRequests', options),
        openai: (route, body, options) => make('callOpenaiRoute', options, { route }, { body }),
        other(method, route, body, options) {
          const pathTo = (template: string) => pathOf(routeOf(template, '').path, { endpoint })
          const path = pathTo(paths.runJob).replace(/\/run$/, route)
          // A target that ignores the endpoint's id would empty another queue.
          if (method === 'POST' && path === pathTo(paths.purgeQueue)) {
            throw new Error('a purge is sent by purge() alone')
          }
          return make('otherQueueRoute', options, undefined, { body, other: { method, path } })
        },
      }
    }

    const client: QueueClient = {
      endpoint,
      call: (operation, call) => caller.call(operation, here(call)),
      begin: (operation, call) => caller.begin(operation, here(call)),
      ...operations(caller.call),
      held: operations(caller.begin),
      on: (role) => at(endpointOf(role)),
      at,
    }
    clients.set(endpoint, client)
    return client
  }

  return at(endpoints.normal)
}
