import { connectionOf } from '../../harness/transport/reuse.ts'
import type { Defect } from '../types.ts'
import { defect } from './tools.ts'

/** Defects that only the next request on a connection shows. */
export const connections: readonly Defect[] = [
  defect('refused-body-left-unread', 'errors.connection-in-step', 'own response', {
    says: 'The body of a request that is answered 401 is left unread, and taken for the next request on the connection.',
    observed: 'status 400: a response to the unread body of the request before it, which was refused with status 401',
    wrap: (fetch) => {
      const unread = new WeakSet<object>()
      return async (request) => {
        const connection = connectionOf(request)
        if (connection !== null && unread.delete(connection)) return new Response('Bad Request', { status: 400 })
        const hasBody = (await request.clone().arrayBuffer()).byteLength > 0
        const response = await fetch(request)
        if (connection !== null && hasBody && response.status === 401) unread.add(connection)
        return response
      }
    },
  }),
]
