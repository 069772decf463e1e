import { Refusal } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { isAt, passesOn, withStatus } from './lb-tools.ts'
import { type Change, defect } from './tools.ts'

const atSecond = { variation: { sample: 'second' } } as const

/** Faults that only the second load-balanced endpoint shows. */
export const lbSecond: readonly Defect[] = [
  defect('body-at-second-endpoint-cut', 'lb.direct-json', 'large', {
    ...atSecond,
    says: 'Of a body to the second endpoint all beyond 4 KB is lost.',
    observed: '4096 bytes, not as sent',
    change: differs(async (pass, request) => {
      const { headers, method, url } = request
      const body = await request.arrayBuffer()
      return pass(new Request(url, { headers, method, body: method === 'GET' ? null : body.slice(0, 4_096) }))
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
    says: 'Routes of more than three segments are not found at the second endpoint.',
    observed: 'status 404',
    change: differs((pass, request) => {
      if (isAt('echo/a/b')(request)) throw new Refusal(404, 'no such route')
      return pass(request)
    }),
  }),
]

/** The second endpoint passes requests on otherwise. */
function differs(
  otherwise: (pass: (request: Request) => Promise<Response>, request: Request) => Promise<Response>,
): Change {
  return passesOn((pass, request, { id }) => (id === 'second' ? otherwise(pass, request) : pass(request)))
}
