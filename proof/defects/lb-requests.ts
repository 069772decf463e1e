import type { Defect } from '../types.ts'
import { isAt, type Picks, passes, returns, route, withType } from './lb-tools.ts'
import { defect, refusing } from './tools.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const isEcho = route('echo')
const isPatch: Picks = ({ method }) => method === 'PATCH'

/** Methods, paths, queries and headers on their way to the workers of load-balanced endpoints. */
export const lbRequests: readonly Defect[] = [
  ...methods.map((method) =>
    defect(`method-${method.toLowerCase()}-refused`, 'lb.methods', 'method', {
      says: `${method} below the route of the worker is answered 405.`,
      observed: 'status 405',
      change: refusing(
        'toWorker',
        (request, path) => request.method === method && path.includes('/nested/') && [405, 'method not allowed'],
      ),
    }),
  ),
  defect('method-patch-becomes-post', 'lb.methods', 'method', {
    says: 'PATCH reaches the worker as POST.',
    observed: '"POST"',
    change: passes(isPatch, () => ({ method: 'POST' })),
  }),
  ...(['PUT', 'PATCH'] as const).map((name) =>
    defect(`method-${name.toLowerCase()}-without-body`, 'lb.methods', 'body', {
      says: `The body of ${name} does not reach the worker.`,
      observed: '""',
      change: passes(
        ({ method }) => method === name,
        () => ({ body: null }),
      ),
    }),
  ),
  defect('path-slash-decoded', 'lb.methods', 'path', {
    says: 'An encoded slash in a path is decoded on the way.',
    observed: '"/plumbline/echo/nested/b%20c/%C3%BC/d/e/%25/F;g=1,2/@+:~%7E/%3Fh%23/"',
    change: passes(isEcho, ({ url }) => ({ url: url.replace('d%2Fe', 'd/e') })),
  }),
  defect('path-encoded-twice', 'lb.methods', 'path', {
    says: 'A path that is encoded already is encoded once more.',
    observed: '"/plumbline/echo/nested/b%2520c/%25C3%25BC/d%252Fe/%2525/F;g=1,2/@+:~%257E/%253Fh%2523/"',
    change: passes(isEcho, ({ url }) => {
      const [path = '', query = ''] = url.split('?')
      return { url: `${path.replaceAll('%', '%25')}?${query}` }
    }),
  }),
  defect('path-question-mark-decoded', 'lb.methods', 'path', {
    says: 'An encoded question mark in a path is decoded on the way.',
    observed: '"/plumbline/echo/nested/b%20c/%C3%BC/d%2Fe/%25/F;g=1,2/@+:~%7E/"',
    change: passes(isEcho, ({ url }) => ({ url: url.replace('%3F', '?') })),
  }),
  defect('path-without-last-slash', 'lb.methods', 'path', {
    says: 'A slash at the end of a path is removed.',
    observed: '"/plumbline/echo/nested/b%20c/%C3%BC/d%2Fe/%25/F;g=1,2/@+:~%7E/%3Fh%23"',
    change: passes(isEcho, ({ url }) => ({ url: url.replace(/\/(?=\?|$)/, '') })),
  }),
  defect('path-long-404', 'lb.methods', 'path', {
    says: 'A path of more than 255 characters is answered 404.',
    observed: 'status 404',
    change: refusing('toWorker', (_, path) => path.length > 255 && [404, 'route not found']),
  }),
  defect('path-long-cut', 'lb.methods', 'path', {
    says: 'Of a path only the first 255 characters reach the worker.',
    observed: '255',
    change: passes(isEcho, ({ url }) => {
      const { origin, pathname, search } = new URL(url)
      return { url: `${origin}${pathname.slice(0, 255)}${search}` }
    }),
  }),
  defect('query-lost', 'lb.methods', 'query', {
    says: 'The query does not reach the worker.',
    observed: '""',
    change: passes(isEcho, ({ url }) => ({ url: url.replace(/\?.*/, '') })),
  }),
  defect('path-lower-case', 'lb.methods', 'path', {
    says: 'Paths reach the worker in lower case.',
    observed: '"/plumbline/echo/nested/b%20c/%c3%bc/d%2fe/%25/f;g=1,2/@+:~%7e/%3fh%23/"',
    change: passes(isEcho, ({ url }) => ({ url: url.replace(/[^?]*/, (path) => path.toLowerCase()) })),
  }),
  defect('query-sorted', 'lb.methods', 'query', {
    says: 'The members of a query reach the worker in another order.',
    observed: '"B=1;2&a=1&a=2&b=%26%3D%2B&c=x+y&d=&e=%E2%82%AC"',
    change: passes(isEcho, ({ url }) => {
      const [path = '', query = ''] = url.split('?')
      return { url: `${path}?${query.split('&').sort().join('&')}` }
    }),
  }),
  defect('query-semicolon-separates', 'lb.methods', 'query', {
    says: 'A semicolon in a query becomes an ampersand.',
    observed: '"a=1&a=2&b=%26%3D%2B&c=x+y&d=&e=%E2%82%AC&B=1&2"',
    change: passes(isEcho, ({ url }) => ({ url: url.replace('B=1;2', 'B=1&2') })),
  }),
  defect('query-plus-decoded', 'lb.methods', 'query', {
    says: 'An encoded plus in a query is decoded on the way.',
    observed: '"a=1&a=2&b=%26%3D+&c=x+y&d=&e=%E2%82%AC&B=1;2"',
    change: passes(isEcho, ({ url }) => ({ url: url.replace('%2B', '+') })),
  }),
  defect('query-long-cut', 'lb.methods', 'query', {
    says: 'Of a query only the first 1024 characters reach the worker.',
    observed: '1024',
    change: passes(isEcho, ({ url }) => ({ url: url.replace(/(\?.{1024}).*/, '$1') })),
  }),
  defect('query-repeated-names-lost', 'lb.methods', 'query', {
    says: 'Of repeated names in a query only the last one reaches the worker.',
    observed: '"a=2&b=%26%3D%2B&c=x+y&d=&e=%E2%82%AC&B=1;2"',
    change: passes(isEcho, ({ url }) => ({ url: url.replace('a=1&', '') })),
  }),
  defect('headers-own-dropped', 'lb.headers', 'own', {
    says: 'Headers that the platform does not know are dropped.',
    observed: 'no X-Plumbline-One',
    change: passes(isEcho, ({ headers }) => ({ headers: without(headers, 'x-plumbline-one') })),
  }),
  defect('headers-cookie-dropped', 'lb.headers', 'own', {
    says: 'Cookies do not reach the worker.',
    observed: 'no Cookie',
    change: passes(isEcho, ({ headers }) => ({ headers: without(headers, 'cookie') })),
  }),
  ...['Range', 'If-None-Match'].map((name) =>
    defect(`headers-${name.toLowerCase()}-dropped`, 'lb.headers', 'own', {
      says: `${name} does not reach the worker.`,
      observed: `no ${name}`,
      change: passes(isEcho, ({ headers }) => ({ headers: without(headers, name) })),
    }),
  ),
  defect('headers-accept-replaced', 'lb.headers', 'own', {
    says: 'Every request reaches the worker with Accept: */*.',
    observed: 'Accept: */*',
    change: passes(isEcho, ({ headers }) => {
      headers.set('accept', '*/*')
      return { headers }
    }),
  }),
  defect('headers-long-cut', 'lb.headers', 'long', {
    says: 'Of the value of a header only the first 1024 characters reach the worker.',
    observed: '1024',
    change: passes(isEcho, ({ headers }) => {
      headers.set('x-plumbline-long', headers.get('x-plumbline-long')?.slice(0, 1_024) ?? '')
      return { headers }
    }),
  }),
  defect('headers-repeated-lost', 'lb.headers', 'repeated', {
    says: 'Of a header that is sent twice the second one is lost.',
    observed: 'X-Plumbline-Two: first',
    change: passes(isEcho, ({ headers }) => {
      headers.set('x-plumbline-two', 'first')
      return { headers }
    }),
  }),
  defect('response-headers-dropped', 'lb.headers', 'response', {
    says: 'Of the headers of a worker only its content type reaches the client.',
    observed: 'no X-Plumbline-Given',
    change: returns(isAt('echo'), (response) => withType(response, `${response.headers.get('content-type')}`)),
  }),
  ...['return/201', 'status/204', 'status/302', 'status/404', 'status/500', 'parts/3'].map((at) =>
    defect(`response-headers-dropped-of-${at.replace('/', '-')}`, 'lb.headers', 'response', {
      says: `Of the headers of a worker only its content type reaches the client at ${at}.`,
      observed: 'no X-Plumbline-Given',
      change: returns(isAt(at), ({ body, headers, status }) => {
        return new Response(body, { status, headers: without(new Headers(headers), 'x-plumbline-given') })
      }),
    }),
  ),
  defect('headers-content-type-json', 'lb.headers', 'content-type', {
    says: 'Every request reaches the worker with the content type application/json.',
    observed: 'Content-Type: application/json',
    change: passes(isEcho, ({ headers }) => {
      headers.set('content-type', 'application/json')
      return { headers }
    }),
  }),
  defect('routes-one-only', 'lb.many-routes', 'routes', {
    says: 'An endpoint serves a single route.',
    observed: 'status 404',
    change: refusing('toWorker', (_, path) => path.startsWith('/plumbline/parts') && [404, 'route not found']),
  }),
  defect('routes-nested-cut', 'lb.many-routes', 'nested', {
    says: 'Of a nested path only the first segments reach the worker.',
    observed: '"/plumbline/echo/a"',
    change: passes(isEcho, ({ url }) => ({ url: url.replace(/(\/plumbline\/echo\/a).*/, '$1') })),
  }),
]

function without(headers: Headers, name: string): Headers {
  headers.delete(name)
  return headers
}
