import { defaultKeys } from '../../reference/auth/accounts.ts'
import { Refusal } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { does } from './action-tools.ts'
import { both, tokenIs } from './auth-tools.ts'
import { answered, defect, is, jsonOf, onResponse, part, type Wrap } from './tools.ts'

const isFull = tokenIs(defaultKeys.full)

/** Defects that look like an outage or a lack of capacity: other requests are answered, and new pods run. */
export const outages: readonly Defect[] = [
  defect('start-503', 'pods.action.exited.start', 'answered', {
    says: 'start is not carried out, and a gateway answers it 503.',
    observed: 'status 503',
    wrap: answers(
      503,
      async (request) => isFull(request) && is.action(request) && (await jsonOf(request))?.action === 'start',
    ),
  }),
  defect('action-with-more-502', 'pods.action-body.extra', 'extra-text', {
    says: 'An action body with a further property crashes the service, and a gateway answers it 502.',
    observed: 'status 502',
    wrap: answers(502, async (request) => is.action(request) && (await jsonOf(request))?.reason === 'plumbline'),
  }),
  defect('empty-network-502', 'pods.patch.empty-network', 'empty list', {
    says: 'An empty list of network mounts crashes the service, and a gateway answers it 502.',
    observed: 'status 502',
    wrap: answers(502, async (request) => is.patch(request) && (await request.clone().text()).includes('"network":[]')),
  }),
  defect('creation-without-key-504', 'auth.pods.missing', 'refused', {
    says: 'A creation without a key hangs, and a gateway answers it 504.',
    observed: 'status 504',
    wrap: answers(504, async (request) => is.create(request) && !request.headers.has('authorization')),
  }),
  defect('terminated-pod-503', 'pods.action.running.terminate', 'becomes-terminated', {
    says: 'A read of a pod that was terminated is answered 503 by a gateway.',
    observed: 'status 503',
    wrap: onResponse(answered(404, both(isFull, is.get)), () => ({ status: 503, text: '' })),
  }),
  defect('start-lacks-capacity', 'pods.action.exited.start', 'answered', {
    says: 'start is refused for lack of capacity, although there is capacity for new pods.',
    observed: 'status 400: {"title":"Bad Request","status":400,"detail":"no capacity"}',
    change: part(
      'permit',
      (next, _pod, action) => next() ?? (action === 'start' ? new Refusal(400, 'no capacity') : null),
    ),
  }),
  defect('start-stays-provisioning', 'pods.action.exited.start', 'becomes-running', {
    says: 'A pod that is started stays in PROVISIONING, although new pods run.',
    observed: 'status PROVISIONING',
    change: does({ status: 'EXITED', action: 'start' }, (pod, service) =>
      service.parts.enter(pod, 'PROVISIONING', service),
    ),
  }),
]

function answers(status: number, when: (request: Request) => Promise<boolean>): Wrap {
  return (fetch) => async (request) => ((await when(request)) ? new Response(null, { status }) : fetch(request))
}
