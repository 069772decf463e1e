import type { Defect } from '../types.ts'
import { copyOf, isAt, passesOn, returns, withStatus } from './lb-tools.ts'
import { type Change, defect, part, refusing } from './tools.ts'

const sentTwice = passesOn(async (pass, request) => {
  await pass(copyOf(request))
  return pass(request)
})

/** How requests are distributed among the workers of load-balanced endpoints. */
export const lbWorkers: readonly Defect[] = [
  defect('worker-not-pinged', 'lb.ready-only', 'ready', {
    says: 'A worker that has just started gets requests before its /ping is answered 200.',
    observed: 'ready false',
    change: part('isWorkerReady', async () => true),
  }),
  ...([400, 401, 403, 500, 503] as const).map((status) =>
    defect(`unknown-balanced-${status}`, 'lb.endpoint-unknown', 'unknown', {
      says: `A load-balanced endpoint that does not exist is answered ${status}.`,
      observed: `status ${status}`,
      change: refusing(
        'findBalanced',
        (id, _, { balanced }) => !balanced.endpoints.has(id) && [status, 'endpoint not found'],
      ),
    }),
  ),
  defect('unknown-balanced-served', 'lb.endpoint-unknown', 'unknown', {
    says: 'A load-balanced endpoint that does not exist is served by another one.',
    observed: 'status 200',
    change: part('findBalanced', (next, id, _caller, service) =>
      next(service.balanced.endpoints.has(id) ? id : 'normal'),
    ),
  }),
  defect('addresses-shared', 'lb.own-address', 'other', {
    says: 'Every address leads to the workers of the same endpoint.',
    observed: 'it also reached the other one',
    change: part('findBalanced', (next) => next('normal')),
  }),
  defect('nested-routes-to-first-endpoint', 'lb.own-address', 'reached', {
    says: 'Requests for nested routes reach the workers of the first endpoint of the account, whichever they are for.',
    observed: '0 times',
    change: part('passOn', (next, request, endpoint, service) => {
      const first = service.balanced.endpoints.get('normal') ?? endpoint
      return next(request, request.url.includes('/echo/part/part') ? first : endpoint)
    }),
  }),
  defect('every-fifth-request-to-first-endpoint', 'lb.own-address', 'reached', {
    says: 'Each fifth request for another endpoint reaches the workers of the first one.',
    observed: '0 times',
    change: (base) => {
      let requests = 0
      return part('passOn', (next, request, endpoint, service) => {
        const first = service.balanced.endpoints.get('normal') ?? endpoint
        const isWrong = endpoint.id === 'second' && !request.url.includes('/seen/') && ++requests % 5 === 0
        return next(request, isWrong ? first : endpoint)
      })(base)
    },
  }),
  defect('requests-mirrored', 'lb.own-address', 'other', {
    says: 'A request is also sent to a worker of another endpoint.',
    observed: 'it also reached the other one',
    change: part('passOn', async (next, request, endpoint, service) => {
      const other = service.balanced.endpoints.get(endpoint.id === 'normal' ? 'second' : 'normal')
      const copy = copyOf(request)
      const response = await next()
      if (other !== undefined && request.method === 'POST') await next(copy, other)
      return response
    }),
  }),
  defect('requests-sent-twice', 'lb.own-address', 'reached', {
    says: 'Every request is sent to the worker twice.',
    observed: '2 times',
    change: sentTwice,
  }),
  defect('requests-sent-twice-if-failed', 'lb.no-retry', 'error', {
    says: 'Every request is sent to the worker twice, so that one of both may fail.',
    observed: 'it reached the worker 2×',
    change: sentTwice,
  }),
  defect('posts-to-first-endpoint', 'lb.own-address', 'reached', {
    says: 'POST requests reach the workers of the first endpoint of the account, whichever they are for.',
    observed: '0 times',
    change: part('passOn', (next, request, endpoint, service) => {
      const first = service.balanced.endpoints.get('normal') ?? endpoint
      return next(request, request.method === 'POST' ? first : endpoint)
    }),
  }),
  defect('worker-500-retried', 'lb.no-retry', 'error', {
    says: 'A request that the worker answers with 500 is sent again.',
    observed: 'it reached the worker 2×',
    change: sendsAgain(500),
  }),
  defect('worker-500-retried-for-get', 'lb.no-retry', 'error', {
    says: 'A GET that the worker answers with 500 is sent again.',
    observed: 'it reached the worker 2×',
    change: sendsAgain(500, 'GET'),
  }),
  defect('worker-500-retried-at-second-endpoint', 'lb.no-retry', 'error', {
    says: 'A request that a worker of the second endpoint answers with 500 is sent again.',
    observed: 'it reached the worker 2×',
    change: sendsAgain(500, undefined, 'second'),
  }),
  defect('worker-507-retried', 'lb.no-retry', 'error', {
    says: 'A request that the worker answers with 507 is sent again.',
    observed: 'it reached the worker 2×',
    change: sendsAgain(507),
  }),
  defect('worker-503-retried', 'lb.no-retry', 'error', {
    says: 'A request that the worker answers with 503 is sent again.',
    observed: 'it reached the worker 2×',
    change: sendsAgain(503),
  }),
  defect('worker-503-retried-for-get', 'lb.no-retry', 'error', {
    says: 'A GET that the worker answers with 503 is sent again.',
    observed: 'it reached the worker 2×',
    change: sendsAgain(503, 'GET'),
  }),
  defect('worker-408-retried', 'lb.no-retry', 'error', {
    says: 'A request that the worker answers with 408 is sent again.',
    observed: 'it reached the worker 2×',
    change: sendsAgain(408),
  }),
  ...([425, 429] as const).map((status) =>
    defect(`worker-${status}-retried`, 'lb.no-retry', 'error', {
      says: `A request that the worker answers with ${status} is sent again.`,
      observed: 'it reached the worker 2×',
      change: sendsAgain(status),
    }),
  ),
  defect('worker-500-retried-later', 'lb.no-retry', 'error', {
    says: 'A request that the worker answers with 500 is sent again a minute later.',
    observed: 'it reached the worker 2×',
    change: passesOn(async (pass, request, _, { clock }) => {
      const copy = copyOf(request)
      const response = await pass(request)
      if (response.status === 500) clock.schedule(clock.now() + 60_000, () => void pass(copy))
      return response
    }),
  }),
  defect('crash-retried', 'lb.no-retry', 'crash', {
    says: 'A request during which the worker died is sent to the next worker.',
    observed: 'it reached the worker 2×',
    change: passesOn((pass, request) => pass(request).catch(() => pass(copyOf(request)))),
  }),
  ...['GET', 'PUT'].map((method) =>
    defect(`crash-retried-for-${method.toLowerCase()}`, 'lb.no-retry', 'crash', {
      says: `A ${method} during which the worker died is sent to the next worker.`,
      observed: 'it reached the worker 2×',
      variation: { sample: method },
      change: passesOn((pass, request) => {
        const copy = copyOf(request)
        return request.method === method ? pass(request).catch(() => pass(copy)) : pass(request)
      }),
    }),
  ),
  defect('worker-520-retried', 'lb.no-retry', 'error', {
    says: 'A request that the worker answers with 520 is sent again.',
    observed: 'it reached the worker 2×',
    variation: { sample: '520' },
    change: sendsAgain(520),
  }),
  defect('slow-retried', 'lb.no-retry', 'slow', {
    says: 'A request that is not answered within 10 s is sent to a worker again.',
    observed: 'it reached the worker 2×',
    change: passesOn((pass, request, _, { clock }) => {
      const copy = copyOf(request)
      let isOver = false
      const again = () => {
        if (!isOver) void pass(copy)
      }
      const response = pass(request)
      const cancel = clock.schedule(clock.now() + 10_000, again)
      const end = () => {
        isOver = true
        cancel()
      }
      response.then(end, end)
      return response
    }),
  }),
  defect('requests-queued', 'lb.no-queue', 'concurrent', {
    says: 'An endpoint serves one request after the other.',
    observed: '1 of 2 reached a worker only once others had ended',
    change: queuedBeyond(1),
  }),
  defect('requests-queued-beyond-three', 'lb.no-queue', 'concurrent', {
    says: 'An endpoint serves three requests at once, and others wait for the end of one.',
    observed: '1 of 4 reached a worker only once others had ended',
    variation: { sample: '4, normal' },
    change: queuedBeyond(3),
  }),
  defect('requests-queued-beyond-seven', 'lb.no-queue', 'concurrent', {
    says: 'An endpoint serves seven requests at once, and others wait for the end of one.',
    observed: '1 of 8 reached a worker only once others had ended',
    variation: { sample: '8, normal' },
    change: queuedBeyond(7),
  }),
  defect('posts-queued', 'lb.no-queue', 'concurrent', {
    says: 'A POST waits for the end of a request that began before it.',
    observed: '1 of 2 reached a worker only once others had ended',
    change: queuedBeyond(1, ({ request }) => request.method === 'POST'),
  }),
  defect('requests-to-second-endpoint-queued', 'lb.no-queue', 'concurrent', {
    says: 'The second endpoint serves four requests at once, and others wait for the end of one.',
    observed: '4 of 8 reached a worker only once others had ended',
    variation: { sample: '8, second' },
    change: queuedBeyond(4, ({ id }) => id === 'second'),
  }),
  defect('concurrent-requests-500', 'lb.no-queue', 'answered', {
    says: 'Requests that are served at once are answered 500.',
    observed: 'status 500',
    change: returns(isAt('hold/'), (response) => withStatus(response, 500)),
  }),
]

/** Requests that the worker answers with this status are sent again. */
function sendsAgain(status: number, method?: string, endpoint?: string): Change {
  return passesOn(async (pass, request, { id }) => {
    const copy = copyOf(request)
    const response = await pass(request)
    const isMeant = (method ?? request.method) === request.method && (endpoint ?? id) === id
    return response.status === status && isMeant ? pass(copy) : response
  })
}

/** An endpoint serves so many requests at once; others that are meant wait for the end of one. */
function queuedBeyond(most: number, isMeant: (sent: Sent) => boolean = () => true): Change {
  return (base) => {
    const running = new Map<string, Set<Promise<unknown>>>()
    return passesOn(async (pass, request, { id }) => {
      const others = running.get(id) ?? new Set()
      running.set(id, others)
      while (isMeant({ request, id }) && others.size >= most) await Promise.race(others)
      const response = pass(request)
      const end: Promise<unknown> = response.catch(() => {}).then(() => others.delete(end))
      others.add(end)
      return response
    })(base)
  }
}

/** A request, and the endpoint that it is for. */
interface Sent {
  readonly request: Request
  readonly id: string
}
