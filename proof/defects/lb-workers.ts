import { Refusal } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { authorizationIs, both, isMissing, isStranger, lets, refusesAndDoes, type When } from './auth-tools.ts'
import { copyOf, isAt, isOfWorker, passesOn, returns, route, withStatus } from './lb-tools.ts'
import { answered, type Change, defect, onJson, options, part, refusing, setsHeader } from './tools.ts'

const isOfLb: When = ({ url }) => url.includes('/lb/')

/** The requests of lb.auth, by the end of their path. */
const routes = ['GET /plumbline/echo', 'POST /plumbline/echo', 'PUT /plumbline/echo', 'PATCH /plumbline/echo']
  .concat(['DELETE /plumbline/echo', 'GET /ping', 'GET /plumbline/status/200', 'GET /plumbline/parts/1'])
  .concat(['POST /plumbline/return/200', 'GET /plumbline/seen/nobody', 'GET /plumbline/echo/a/b/c'])
  .map((text) => text.split(' ') as [method: string, path: string])

/** The clauses of lb.error-body, each with the status of its error. */
const errors = [
  ['unauthorized', '401', 401],
  ['unknown', '404', 404],
  ['crash', 'crash', 500],
] as const

/** Other bodies of errors. */
const errorBodies: readonly (readonly [id: string, says: string, observed: string, text: string, type?: string])[] = [
  ['without-detail', 'has no detail', 'body.detail: nothing', '{"error":"refused"}'],
  ['problem', 'is a problem document', 'body.error: nothing', '{"title":"refused","status":400,"detail":"no"}'],
  ['text', 'is a text', 'text/plain', 'refused', 'text/plain'],
]

/** Requests whose errors have another body. */
const errorsOf: readonly (readonly [id: string, says: string, clause: string, when: When])[] = [
  ['token', 'a token was never issued', 'unauthorized', authorizationIs(/never-issued/)],
  ['patch', 'a PATCH has no token', 'unauthorized', (request) => isMissing(request) && request.method === 'PATCH'],
  ['stranger', "the endpoint is another account's", 'stranger', isStranger],
  [
    'delete',
    'a DELETE is for an unknown endpoint',
    'unknown',
    ({ method, url }) => method === 'DELETE' && url.includes('/lb/unknown'),
  ],
]

/** Requests during which the worker died are answered so. */
const afterCrash = (answer: () => Response) => passesOn((pass, request) => pass(request).catch(answer))

const sentTwice = passesOn(async (pass, request) => {
  await pass(copyOf(request))
  return pass(request)
})

/** Workers of load-balanced endpoints, their addresses, and the platform in front of them. */
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
  defect('worker-503-retried', 'lb.no-retry', 'error', {
    says: 'A request that the worker answers with 503 is sent again.',
    observed: 'it reached the worker 2×',
    change: sendsAgain(503),
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
    variation: { sample: '4' },
    change: queuedBeyond(3),
  }),
  defect('requests-queued-beyond-seven', 'lb.no-queue', 'concurrent', {
    says: 'An endpoint serves seven requests at once, and others wait for the end of one.',
    observed: '1 of 8 reached a worker only once others had ended',
    variation: { sample: '8' },
    change: queuedBeyond(7),
  }),
  defect('concurrent-requests-500', 'lb.no-queue', 'answered', {
    says: 'Requests that are served at once are answered 500.',
    observed: 'status 500',
    change: returns(isAt('hold/'), (response) => withStatus(response, 500)),
  }),
  ...errors.flatMap(([clause, name, status]) =>
    errorBodies.map(([id, says, observed, text, type]) =>
      defect(`error-${name}-${id}`, 'lb.error-body', clause, {
        says: `The body of a ${name} of the platform ${says}.`,
        observed,
        wrap: setsHeader(answered(status, isOfLb), 'content-type', (was) => type ?? was, { text }),
      }),
    ),
  ),
  ...errorsOf.map(([id, says, clause, when]) =>
    defect(`error-problem-${id}`, 'lb.error-body', clause, {
      says: `The body of an error of the platform is a problem document if ${says}.`,
      observed: 'body.error: nothing',
      wrap: onJson(
        (request, { status }) => status >= 400 && isOfLb(request) && when(request),
        () => ({ title: 'refused', status: 400, detail: 'no' }),
      ),
    }),
  ),
  defect('crash-answered-200', 'lb.crash', 'status', {
    says: 'A request whose worker dies is answered 200 without a body.',
    observed: 'status 200',
    change: afterCrash(() => new Response(null)),
  }),
  defect('crash-answered-404', 'lb.crash', 'status', {
    says: 'A request whose worker dies is answered 404.',
    observed: 'status 404',
    change: afterCrash(() => {
      throw new Refusal(404, 'no worker')
    }),
  }),
  defect('crash-unanswered', 'lb.crash', 'status', {
    says: 'A worker that dies during a request takes the connection of the client with it.',
    observed: 'no complete response',
    change: afterCrash(() => {
      throw new Error('the connection is closed')
    }),
  }),
  defect('crash-for-good', 'lb.crash', 'serves-again', {
    says: 'An endpoint whose worker died gets no other one.',
    observed: 'status 500: {"error":"Internal Server Error","detail":"no worker is left"}',
    change: (base) => {
      let isDead = false
      return passesOn((pass, request) => {
        if (isDead) throw new Refusal(500, 'no worker is left')
        isDead = route('exit')(request)
        return pass(request)
      })(base)
    },
  }),
  defect('crash-every-second-request', 'lb.crash', 'serves-again', {
    says: 'After a crash every second request still goes to the worker that died.',
    observed: 'status 500: {"error":"Internal Server Error","detail":"the worker has died"}',
    change: (base) => {
      let sinceCrash = -1
      return passesOn((pass, request) => {
        if (sinceCrash >= 0 && ++sinceCrash % 2 === 1) throw new Refusal(500, 'the worker has died')
        if (route('exit')(request)) sinceCrash = 0
        return pass(request)
      })(base)
    },
  }),
  defect('crash-answered-502', 'lb.crash-500', 'status', {
    says: 'A request whose worker dies is answered 502.',
    observed: 'status 502',
    change: options({ style: { workerDied: 502 } }),
  }),
  ...routes.map(([method, path]) =>
    defect(`route-open-${method.toLowerCase()}${path.replaceAll('/', '-')}`, 'lb.auth', 'refused', {
      says: `${method} ${path} is served without a token.`,
      observed: 'status 200',
      change: lets((request) => isMissing(request) && request.method === method && request.url.endsWith(path)),
    }),
  ),
  defect('second-endpoint-open', 'lb.auth', 'refused', {
    says: 'The second load-balanced endpoint is served without a token.',
    observed: 'status 200',
    change: lets(both(isMissing, ({ url }) => url.includes('/lb/second/'))),
  }),
  defect('route-open-options', 'lb.auth', 'not-reached', {
    says: 'OPTIONS without a token reaches the worker.',
    observed: 'it reached the worker 1×',
    change: lets((request) => isMissing(request) && request.method === 'OPTIONS'),
  }),
  defect('route-refused-and-reached-later', 'lb.auth', 'not-reached', {
    says: 'A request without a token is answered 401 and passed on to the worker ten seconds later.',
    observed: 'it reached the worker 1×',
    change: refusesAndDoes(both(isMissing, isOfLb), 10_000),
  }),
  defect('route-refused-and-reached', 'lb.auth', 'not-reached', {
    says: 'A request without a token is answered 401 and passed on to the worker.',
    observed: 'it reached the worker 1×',
    change: refusesAndDoes(both(isMissing, isOfLb)),
  }),
  defect('peer-refused', 'lb.peer-call', 'called', {
    says: 'A call of a worker to another endpoint is refused.',
    observed: 'status 403',
    wrap: (fetch) => async (request) => (isOfWorker(request) ? new Response(null, { status: 403 }) : fetch(request)),
  }),
  defect('peer-with-any-token', 'lb.peer-call', 'refused', {
    says: 'Workers of an account reach its other endpoints with a token that was never issued.',
    observed: 'status 200',
    change: lets(both(isOfWorker, authorizationIs(/never-issued/))),
  }),
  defect('peer-without-token', 'lb.peer-call', 'refused', {
    says: 'Workers of an account reach its other endpoints without a token.',
    observed: 'status 200',
    change: lets(both(isOfWorker, isMissing)),
  }),
]

/** Requests that the worker answers with this status are sent again. */
function sendsAgain(status: number, method?: string): Change {
  return passesOn(async (pass, request) => {
    const copy = copyOf(request)
    const response = await pass(request)
    return response.status === status && (method ?? request.method) === request.method ? pass(copy) : response
  })
}

/** An endpoint serves so many requests at once; others wait for the end of one. */
function queuedBeyond(most: number): Change {
  return (base) => {
    const running = new Map<string, Set<Promise<unknown>>>()
    return passesOn(async (pass, request, { id }) => {
      const others = running.get(id) ?? new Set()
      running.set(id, others)
      while (others.size >= most) await Promise.race(others)
      const response = pass(request)
      const end: Promise<unknown> = response.catch(() => {}).then(() => others.delete(end))
      others.add(end)
      return response
    })(base)
  }
}
