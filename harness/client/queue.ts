import type { EndpointRole, QueuePath, QueuePlane } from '../../target/types.ts'
import type { Coming } from '../clock/types.ts'
import type { QueueOperation } from '../exchange/exchange.ts'
import { bytesOf } from './body.ts'
import { type CallOptions, headersOf } from './headers.ts'
import type { Reply } from './reply.ts'
import type { Outgoing } from './sender.ts'

export interface QueueCallOptions extends CallOptions {
  /** Query of the address, after its question mark. */
  readonly query?: Readonly<Record<string, string>>
  /** A body for an operation that is sent without one: a JSON value, or `raw(…)`. */
  readonly body?: unknown
  /** Sent without regard to the documented rates, until it is answered 429. */
  readonly unpaced?: boolean
  /** Real ms to wait for the answer. */
  readonly answerMs?: number
}

/**
 * One queue-based endpoint as a rule calls it, with one key; one method an operation. Bodies are JSON values, or
 * `raw(…)` for bytes as they are, or `nothing`. `Answer` is a promise of the reply, which rejects with Inconclusive
 * where no whole one came; of `held` it is something to come, for `clock.until`.
 */
interface Operations<Answer> {
  run(body: unknown, options?: QueueCallOptions): Answer
  /** Answers once the job is done, or its wait is over; time moves meanwhile. */
  runsync(body: unknown, options?: QueueCallOptions): Answer
  status(job: string, options?: QueueCallOptions): Answer
  /** May be held by the target while there is nothing new; time moves meanwhile. */
  stream(job: string, options?: QueueCallOptions): Answer
  cancel(job: string, options?: QueueCallOptions): Answer
  retry(job: string, options?: QueueCallOptions): Answer
  /** Throws where the endpoint is not the dedicated one. */
  purge(options?: QueueCallOptions): Answer
  health(options?: QueueCallOptions): Answer
  requests(options?: QueueCallOptions): Answer
  /** `route` is what follows /openai, as `/v1/chat/completions`; time moves until the answer. */
  openai(route: string, body: unknown, options?: QueueCallOptions): Answer
  /** Anything else below the endpoint: another method, or a route that does not exist, as `/nothing`; never a purge. */
  other(method: string, route: string, body?: unknown, options?: QueueCallOptions): Answer
}

export interface QueueClient extends Operations<Promise<Reply>> {
  /** Id of the endpoint. */
  readonly endpoint: string
  /** The same calls, sent without waiting for the answer. */
  readonly held: Operations<Coming<Reply>>
  /** The endpoint that plays another part. Throws Unclaimed or NotApplicable where the target has none. */
  on(role: EndpointRole): QueueClient
  /** An endpoint by its id, whether it exists or not. */
  at(endpoint: string): QueueClient
}

export interface QueueClientOptions {
  readonly plane: QueuePlane
  readonly key: { readonly name: string; readonly value: string }
  readonly send: (outgoing: Outgoing) => Promise<Reply>
  readonly begin: (outgoing: Outgoing) => Coming<Reply>
  /** Demands the endpoint of a role from the target file. */
  readonly endpointOf: (role: EndpointRole) => string
  /** Told before a job is submitted, and of what the answer was, so that nothing is left running. */
  readonly submitting: (endpoint: string, body: unknown) => (reply: Reply) => void
  /** Told of each answer that shows how a job is. */
  readonly shown: (endpoint: string, job: string, reply: Reply) => void
}

interface Call {
  readonly operation: QueueOperation
  readonly method: string
  readonly path: string
  readonly job?: string
  readonly body?: unknown
  readonly takesTime?: boolean
}

const submits: ReadonlySet<QueueOperation> = new Set(['runJob', 'runJobSync', 'callOpenaiRoute'])

/** The queue plane with one key, at the normal endpoint. */
export function createQueueClient(options: QueueClientOptions): QueueClient {
  const { plane, key, endpointOf, submitting, shown } = options
  const clients = new Map<string, QueueClient>()

  function at(endpoint: string): QueueClient {
    const known = clients.get(endpoint)
    if (known !== undefined) return known
    const path = (operation: QueuePath, job = '', route = '') =>
      plane.paths[operation]
        .replace('{endpoint}', () => encodeURIComponent(endpoint))
        .replace('{job}', () => encodeURIComponent(job))
        .replace('{route}', () => route)

    function outgoing(call: Call, given: QueueCallOptions): Outgoing {
      const body = given.body ?? call.body
      const query = new URLSearchParams(given.query).toString()
      return {
        operation: call.operation,
        subject: call.job ?? null,
        endpoint,
        key: given.authorization === undefined ? key.name : null,
        method: call.method,
        url: plane.url + call.path + (query === '' ? '' : `${call.path.includes('?') ? '&' : '?'}${query}`),
        headers: headersOf(key.value, body !== undefined, 'application/json', given),
        body: bytesOf(body),
        raw429: given.raw429 ?? false,
        unpaced: given.unpaced ?? false,
        takesTime: call.takesTime ?? false,
        ...(given.answerMs === undefined ? {} : { answerMs: given.answerMs }),
        ...(given.newConnection === undefined ? {} : { newConnection: given.newConnection }),
      }
    }

    /** What is to be done once a call is answered. */
    function noting({ operation, job, body }: Call): (reply: Reply) => void {
      if (submits.has(operation)) return submitting(endpoint, body)
      return (reply) => {
        if (job !== undefined && reply.exchange.key === key.name) shown(endpoint, job, reply)
      }
    }

    async function send(call: Call, given: QueueCallOptions = {}): Promise<Reply> {
      const note = noting(call)
      const reply = await options.send(outgoing(call, given))
      note(reply)
      return reply
    }

    function begin(call: Call, given: QueueCallOptions = {}): Coming<Reply> {
      const note = noting(call)
      const coming = options.begin(outgoing(call, given))
      coming.comes.then(note, () => {})
      return coming
    }

    function operations<Answer>(make: (call: Call, given?: QueueCallOptions) => Answer): Operations<Answer> {
      const get = (operation: QueuePath, job?: string): Call => ({ ...to(operation, job), method: 'GET' })
      const to = (operation: QueuePath, job?: string): Call => ({
        operation,
        method: 'POST',
        path: path(operation, job),
        ...(job === undefined ? {} : { job }),
      })
      return {
        run: (body, given) => make({ ...to('runJob'), body }, given),
        runsync: (body, given) => make({ ...to('runJobSync'), body, takesTime: true }, given),
        status: (job, given) => make(get('getJobStatus', job), given),
        stream: (job, given) => make({ ...get('streamJob', job), takesTime: true }, given),
        cancel: (job, given) => make(to('cancelJob', job), given),
        retry: (job, given) => make(to('retryJob', job), given),
        purge(given) {
          if (endpoint !== plane.endpoints.dedicated) {
            throw new Error('a purge is sent to the dedicated endpoint alone: queue.on("dedicated").purge()')
          }
          return make(to('purgeQueue'), given)
        },
        health: (given) => make(get('getEndpointHealth'), given),
        requests: (given) => make(get('listRequests'), given),
        openai: (route, body, given) =>
          make(
            {
              operation: 'callOpenaiRoute',
              method: 'POST',
              path: path('callOpenaiRoute', '', route),
              body,
              takesTime: true,
            },
            given,
          ),
        other(method, route, body, given) {
          const to = path('runJob').replace(/\/run$/, route)
          // One that ignores the endpoint's id would empty another queue.
          if (method === 'POST' && to === path('purgeQueue')) throw new Error('a purge is sent by purge() alone')
          return make({ operation: 'otherQueueRoute', method, path: to, body }, given)
        },
      }
    }

    const client: QueueClient = {
      endpoint,
      ...operations(send),
      held: operations(begin),
      on: (role) => at(endpointOf(role)),
      at,
    }
    clients.set(endpoint, client)
    return client
  }

  return at(plane.endpoints.normal)
}
