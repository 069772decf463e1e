import { Refusal } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { authorizationIs, both, isMissing, isStranger, lets, refusesAndDoes, type When } from './auth-tools.ts'
import { isOfWorker, passesOn, route } from './lb-tools.ts'
import { answered, defect, onJson, options, setsHeader } from './tools.ts'

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
  ['word', 'a request has the word Bearer alone', 'unauthorized', authorizationIs(/^Bearer$/)],
  ['scheme', 'a request has another scheme', 'unauthorized', authorizationIs(/^Basic /)],
  ['expired', 'the key has expired', 'expired', authorizationIs(/expired/)],
  ['restricted', 'the key lacks the permission', 'restricted', authorizationIs(/restricted/)],
  ['stranger', "the endpoint is another account's", 'stranger', isStranger],
  [
    'delete',
    'a DELETE is for an unknown endpoint',
    'unknown',
    ({ method, url }) => method === 'DELETE' && url.includes('/lb/unknown'),
  ],
]

/** Rules that kill a worker: of several in a run, only the first can tell that none comes after it. */
const killers = [
  ['crash-for-good', 'lb.crash'],
  ['crash-for-good-in-crash-500', 'lb.crash-500'],
  ['crash-for-good-in-error-body', 'lb.error-body'],
  ['crash-for-good-in-no-retry', 'lb.no-retry'],
] as const

/** Requests during which the worker died are answered so. */
const afterCrash = (answer: () => Response) => passesOn((pass, request) => pass(request).catch(answer))

/** The platform in front of load-balanced endpoints: its errors, workers that die, and keys. */
export const lbPlatform: readonly Defect[] = [
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
  ...killers.map(([id, rule]) =>
    defect(id, rule, 'serves-again', {
      says: `An endpoint whose worker died gets no other one (${rule}).`,
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
  ),
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
  ...(['POST', 'PUT', 'PATCH', 'DELETE'] as const).map((name) =>
    defect(`second-endpoint-open-${name.toLowerCase()}`, 'lb.auth', 'refused', {
      says: `The second load-balanced endpoint serves ${name} without a token.`,
      observed: 'status 200',
      change: lets(both(isMissing, ({ method, url }) => method === name && url.includes('/lb/second/'))),
    }),
  ),
  defect('second-endpoint-open-below', 'lb.auth', 'refused', {
    says: 'The second load-balanced endpoint serves nested paths without a token.',
    observed: 'status 200',
    change: lets(both(isMissing, ({ url }) => /\/lb\/second\/.*\/c$/.test(url))),
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
