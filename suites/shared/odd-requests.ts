import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { Call } from '../../harness/client/caller.ts'
import { mediaTypeOf } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { Dropped, orDropped } from '../../harness/rule/outcome.ts'
import { type Expected, expectStatus } from './table.ts'

/** A request as clients send it. */
export interface Usual {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** A request that nobody sends on purpose, and the statuses that the description allows. */
export interface Odd extends Usual, Pick<Call, 'authorization' | 'contentType' | 'query'> {
  readonly statuses: readonly Expected[]
}

/** The usual requests that odd ones are made from. */
interface Usuals {
  /** Shows the resource. */
  readonly read: Usual
  /** Has an effect on the resource. */
  readonly act: Usual
  /** Creates a resource. */
  readonly submit?: Usual
}

/** One plane with a resource of the rule's own. */
export interface OddPlane extends Usuals {
  send(odd: Odd): Promise<ApiResponse>
  /** The fault in the form of a refusal, null if it has none; left out if any form will do. */
  readonly formFault?: (response: ApiResponse) => string | null
  /** Expects that nothing came of the requests, now and later, and shows that `act` works if it is sent as usual. */
  expectNoEffect(): Promise<void>
}

/** Odd requests of the same kind, of which the seed draws one. */
type OddClass = Readonly<Record<string, (usuals: Usuals) => Odd>>

/** Kinds of odd requests, by clause. */
export type OddTable = Readonly<Record<string, OddClass>>

/** A request that changes nothing may be served, redirected or refused. */
const harmless: readonly Expected[] = ['2XX', '3XX', '4XX']
/** A server that does not know a method answers 501 (RFC 9110, 9.1). */
const harmlessMethod: readonly Expected[] = [...harmless, 501]
const refused: readonly Expected[] = ['4XX']
const refusedMethod: readonly Expected[] = [...refused, 501]
/** The path may lead nowhere, or be redirected to the one that is meant. */
const notServed: readonly Expected[] = ['3XX', '4XX']
/** The responses to a method that a path does not have. */
export const noSuchMethod: readonly Expected[] = [404, 405, 501]

/** Routes that do not exist, below those that do. */
export const unknownRoutes: OddTable = {
  read: {
    'GET below': ({ read }) => odd(read, refused, { path: `${read.path}/plumbline` }),
    'GET far below': ({ read }) => odd(read, refused, { path: `${read.path}/plumbline/a/b` }),
  },
  act: {
    below: ({ act }) => odd(act, refused, { path: `${act.path}/plumbline` }),
    'one segment more': ({ act }) => odd(act, refused, { path: act.path.replace(/\/[^/]*$/, '/plumbline$&') }),
  },
  change: {
    'DELETE below': ({ read }) => odd(read, refusedMethod, { method: 'DELETE', path: `${read.path}/plumbline` }),
    'PATCH below': ({ read }) =>
      odd(read, refusedMethod, { method: 'PATCH', path: `${read.path}/plumbline`, body: {} }),
    'POST below': ({ read, submit }) =>
      odd(read, refusedMethod, { method: 'POST', path: `${read.path}/plumbline`, body: submit?.body ?? {} }),
    'PUT below': ({ read }) => odd(read, refusedMethod, { method: 'PUT', path: `${read.path}/plumbline`, body: {} }),
  },
}

/** Paths that some servers take for the usual one. */
export const alike: Readonly<Record<string, (path: string) => string>> = {
  'doubled first slash': (path) => `/${path}`,
  'doubled last slash': (path) => path.replace(/\/[^/]*$/, '/$&'),
  'trailing slash': (path) => `${path}/`,
  'encoded trailing slash': (path) => `${path}%2F`,
}

/** Requests with a key. Those that might be served as usual only read. */
export const oddRequests: OddTable = {
  'doubled-slash': {
    'doubled first slash': ({ read }) => odd(read, harmless, { path: `/${read.path}` }),
    'doubled last slash': ({ read }) => odd(read, harmless, { path: read.path.replace(/\/[^/]*$/, '/$&') }),
  },
  'trailing-slash': {
    'trailing slash': ({ read }) => odd(read, harmless, { path: `${read.path}/` }),
  },
  'encoded-slash': {
    // A DELETE of something that is not there may succeed.
    'encoded slash in the path of an action': ({ act }) =>
      odd(act, act.method === 'DELETE' ? harmless : notServed, { path: `${act.path}%2Fplumbline` }),
    'encoded slash in an id': ({ read }) =>
      odd(read, harmlessMethod, { method: 'DELETE', path: `${read.path}%2Fplumbline` }),
  },
  head: {
    'HEAD of a resource': ({ read }) => odd(read, harmlessMethod, { method: 'HEAD' }),
    'HEAD of an action': ({ act }) => odd(act, harmlessMethod, { method: 'HEAD', body: undefined }),
    'HEAD of a creation': ({ act, submit = act }) => odd(submit, harmlessMethod, { method: 'HEAD', body: undefined }),
  },
  options: {
    'OPTIONS of a resource': ({ read }) => odd(read, harmlessMethod, { method: 'OPTIONS' }),
    'OPTIONS of an action': ({ act }) => odd(act, harmlessMethod, { method: 'OPTIONS', body: undefined }),
  },
  'get-body': {
    'GET with the body of an action': ({ read, act }) => odd(read, ['2XX', '4XX'], { body: act.body ?? {} }),
    'GET with an empty object': ({ read }) => odd(read, ['2XX', '4XX'], { body: {} }),
  },
}

/** Methods that a plane does not list for a path. */
export const otherMethods: OddTable = {
  method: {
    'PUT of an action': ({ act }) => odd(act, noSuchMethod, { method: 'PUT', body: act.body ?? {} }),
    'PATCH of an action': ({ act }) => odd(act, noSuchMethod, { method: 'PATCH', body: act.body ?? {} }),
    'GET of an action': ({ act }) => odd(act, noSuchMethod, { method: 'GET', body: undefined }),
    'DELETE of an action': ({ act }) => odd(act, noSuchMethod, { method: 'DELETE', body: undefined }),
  },
}

/** The same without a key in the header: none is served. Where another fault may be found first, any refusal will do. */
export function withoutKey({ target }: Context): OddTable {
  const key = target.keys.full ?? ''
  const none = { authorization: null }
  const queries = ['api_key', 'key', 'access_token', 'token'].map((name) => ({ [name]: key }))
  return {
    query: Object.fromEntries(
      [...queries, { Authorization: `Bearer ${key}` }].map((query) => [
        `key as ${Object.keys(query)[0]}`,
        ({ act }) => odd(act, [401], { query, ...none }),
      ]),
    ),
    path: Object.fromEntries(
      Object.entries(alike).map(([name, path]) => [
        name,
        ({ act }) => odd(act, notServed, { path: path(act.path), ...none }),
      ]),
    ),
    body: {
      'DELETE with a body': ({ read }) => odd(read, refused, { method: 'DELETE', body: {}, ...none }),
      'GET with a body': ({ read }) => odd(read, refused, { body: {}, ...none }),
    },
    type: {
      'another content type': ({ act }) =>
        odd(act, refused, { body: act.body ?? {}, contentType: 'text/plain', ...none }),
    },
    head: {
      'HEAD of a resource': ({ read }) => odd(read, refusedMethod, { method: 'HEAD', ...none }),
    },
    method: {
      'PUT of an action': ({ act }) => odd(act, refusedMethod, { method: 'PUT', body: act.body ?? {}, ...none }),
    },
  }
}

/** A usual request with something changed. */
export function odd(usual: Usual, statuses: readonly Expected[], change: Partial<Odd>): Odd {
  return { ...usual, ...change, statuses }
}

/** Sends one odd request of each kind, in the drawn order. Each has its clause; the form of refusals is the clause `form`. */
export async function expectOdd(context: Context, plane: OddPlane, table: OddTable): Promise<void> {
  const { check, notJudged, row, reading, vary } = context
  for (const [clause, members] of vary.ordered(Object.entries(table))) {
    const all = Object.entries(members).map(([name, make]) => [name, make(plane)] as const)
    const [, request] =
      vary.sample(
        clause,
        all.filter(([, one]) => !isUsual(plane, one)),
        ([name]) => name,
      ) ?? []
    if (request === undefined) {
      notJudged(clause, 'the target file makes each such method one of the API')
      continue
    }
    const response = await orDropped(plane.send(request))
    expectStatus(check(clause), response, request.statuses)
    if (response instanceof Dropped) return
    if (row.basis === 'open' && !unread.has(clause)) reading(clause, readingOf(response, request))
    if (request.method === 'HEAD' || row.area === 'auth' || !isRefusal(response)) continue
    // No sentence names the form of these errors: all that is said of every body is that it is JSON.
    if (plane.formFault === jsonFault && row.level === 'must') continue
    const fault = plane.formFault?.(response)
    if (fault === undefined) continue
    check('form').that(fault === null, 'an error in the form of the API', fault ?? '', response)
  }
}

/** True if a target file makes this method that of an operation. */
function isUsual({ act, read, submit = read }: OddPlane, { method, path, statuses }: Odd): boolean {
  return (
    statuses === noSuchMethod && [act, read, submit].some((usual) => usual.method === method && usual.path === path)
  )
}

/** Kinds whose members are answered differently on the same platform, or about which nothing is open. */
const unread: ReadonlySet<string> = new Set(['encoded-slash', 'head', 'long-id'])

/** A response as a reading; a refusal is its status if the description leaves open just that. */
function readingOf({ status }: ApiResponse, { statuses }: Odd): string {
  if (status < 400) return status < 300 ? 'served' : 'redirected'
  return statuses.every((one) => typeof one === 'number') ? String(status) : 'refused'
}

/** The call of an odd request, which is not an operation. Sending it twice does no harm. */
export function callOf({ method, path, statuses, ...call }: Odd): Call {
  return {
    ...call,
    other: { method, path },
    ...(statuses.includes('2XX') ? { repeats: true } : { mustBeRefused: true }),
  }
}

/** The fault of a response as an error of the pod API (heading Errors); null if it has none. */
export function problemFault(response: ApiResponse): string | null {
  const type = mediaTypeOf(response.exchange.response?.headers ?? [])
  if (type !== 'application/problem+json') return type ?? 'no Content-Type'
  const { title, status, detail } = membersOf(response.json) ?? {}
  if (typeof title !== 'string' || typeof detail !== 'string') return 'no title or no detail'
  return status === response.status ? null : 'another status in the body'
}

/** The fault of a response whose body is not JSON (heading Endpoints); null if it is, and without a body. */
export function jsonFault({ bytes, exchange, json }: ApiResponse): string | null {
  if (bytes.length === 0 || json !== undefined) return null
  const type = mediaTypeOf(exchange.response?.headers ?? [])
  return type === null || type.endsWith('json') ? 'a body that is not JSON' : type
}
