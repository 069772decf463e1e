import { Refusal } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { isAt, passesOn, withStatus } from './lb-tools.ts'
import { type Change, defect } from './tools.ts'

const atSecond = { variation: { sample: 'second' } } as const

/** Faults that only the second load-balanced endpoint shows. */
export const lbSecond: readonly Defect[] = [
  defect('body-at-second-endpoint-cut', 'lb.direct-json', 'large', {
    ...atSecond,
    says: 'Bodies to the second endpoint are cut to 4 KB.',
    observed: '4096 bytes, not as sent',
    change: differs(async (pass, request) => {
      if (request.body === null) return pass(request)
      const { headers, method, url } = request
      return pass(new Request(url, { headers, method, body: (await request.arrayBuffer()).slice(0, 4_096) }))
    }),
  }),
  defect('put-at-second-endpoint-405', 'lb.methods', 'method', {
    ...atSecond,
    says: 'The second endpoint refuses PUT.',
    observed: 'status 405',
    change: differs((pass, request) => {
      if (request.method === 'PUT') throw new Refusal(405, 'no such method')
      return pass(request)
    }),
  }),
  defect('worker-404-at-second-endpoint-500', 'lb.direct-response', 'status', {
    ...atSecond,
    says: 'A 404 of a worker of the second endpoint is answered 500.',
    observed: 'status 500: {"title":"not here"}',
    change: differs(async (pass, request) => {
      const response = await pass(request)
      return response.status === 404 ? withStatus(response, 500) : response
    }),
  }),
  defect('cookie-at-second-endpoint-dropped', 'lb.headers', 'own', {
    ...atSecond,
    says: 'Cookies do not reach the workers of the second endpoint.',
    observed: 'no Cookie',
    change: differs((pass, request) => {
      request.headers.delete('cookie')
      return pass(request)
    }),
  }),
  defect('nested-route-of-second-endpoint-404', 'lb.many-routes', 'nested', {
    ...atSecond,
    says: 'The second endpoint does not find routes below /plumbline/echo/a/b.',
    observed: 'status 404',
    change: differs((pass, request) => {
      if (isAt('echo/a/b')(request)) throw new Refusal(404, 'no such route')
      return pass(request)
    }),
  }),
]

/** Changes how requests to the second endpoint are passed on. */
function differs(
  otherwise: (pass: (request: Request) => Promise<Response>, request: Request) => Promise<Response>,
): Change {
  return passesOn((pass, request, { id }) => (id === 'second' ? otherwise(pass, request) : pass(request)))
}
