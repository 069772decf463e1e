import type { Defect } from '../types.ts'
import { carriesOut, effectOf, later, seen } from './action-tools.ts'
import { is, onAnswer, onJson, options } from './tools.ts'

const stopped = seen('RUNNING', 'EXITED')
const restarted = seen('EXITED', 'RUNNING')
const refusesText = options({ style: { mediaType: 415 } })

/** Action bodies: what is beyond the tables of those that are refused. */
export const actionBodyEffects = [
  {
    id: 'action-not-json-refused-and-terminates',
    rule: 'pods.action-body.no-effect',
    clause: 'unchanged',
    says: 'An action body that is not JSON is refused, and the pod is terminated.',
    observed: 'status 404: it is gone',
    change: carriesOut((_, { status }) => status === 400, effectOf('terminate')),
  },
  {
    id: 'action-extra-refused-and-stops-later',
    rule: 'pods.action-body.no-effect',
    clause: 'unchanged',
    says: 'An action body that fails validation is refused, and the pod is stopped a second later.',
    observed: stopped,
    change: carriesOut((_, { status }) => status === 422, later(1000, effectOf('stop'))),
  },
  {
    id: 'action-invalid-and-not-permitted-400',
    rule: 'pods.action-body.validation-first',
    clause: 'refused',
    says: 'An action that the status does not permit, in a body that fails validation, is answered 400.',
    observed: 'status 400',
    wrap: onAnswer(
      (request, { status }) => is.action(request) && status === 422,
      ({ text }) => ({ status: 400, text: text.replace('422', '400') }),
    ),
  },
  {
    id: 'action-invalid-and-not-permitted-carried-out',
    rule: 'pods.action-body.validation-first',
    clause: 'unchanged',
    says: 'A restart that the status does not permit, in a body that fails validation, is refused and carried out.',
    observed: restarted,
    change: carriesOut((_, { status }) => status === 422, effectOf('restart')),
  },
  {
    id: 'action-invalid-and-not-permitted-carried-out-later',
    rule: 'pods.action-body.validation-first',
    clause: 'unchanged',
    says: 'A restart that the status does not permit, in a body that fails validation, is carried out a second later.',
    observed: restarted,
    change: carriesOut((_, { status }) => status === 422, later(1000, effectOf('restart'))),
  },
  {
    id: 'action-as-text-406',
    rule: 'pods.action-body.media-type',
    clause: 'answered',
    says: 'An action body of type text/plain is answered 406.',
    observed: 'status 406',
    wrap: onAnswer(isText, ({ text }) => ({ status: 406, text })),
  },
  {
    id: 'action-as-text-ignored',
    rule: 'pods.action-body.media-type',
    clause: 'carried-out',
    says: 'An action body of type text/plain is answered 200, and comes to nothing.',
    observed: 'status RUNNING',
    wrap: (fetch) => async (request) => {
      const { headers, url } = request
      return isText(request) ? fetch(new Request(url.replace(/\/action$/, ''), { headers })) : fetch(request)
    },
  },
  {
    id: 'action-as-text-refused-in-text',
    rule: 'pods.action-body.media-type',
    clause: 'problem',
    says: 'An action body of type text/plain is refused with a text.',
    observed: 'text/plain',
    change: refusesText,
    wrap: onAnswer(isText, ({ headers }) => {
      headers.set('content-type', 'text/plain')
      return { text: 'wrong type' }
    }),
  },
  {
    id: 'action-as-text-refused-and-stops',
    rule: 'pods.action-body.media-type',
    clause: 'unchanged',
    says: 'An action body of type text/plain is refused, and the pod is stopped.',
    observed: stopped,
    change: carriesOut(isText, effectOf('stop'), { style: { mediaType: 415 } }),
  },
  {
    id: 'action-as-text-refused-and-stops-later',
    rule: 'pods.action-body.media-type',
    clause: 'unchanged',
    says: 'An action body of type text/plain is refused, and the pod is stopped a second later.',
    observed: stopped,
    change: carriesOut(isText, later(1000, effectOf('stop')), { style: { mediaType: 415 } }),
  },
  {
    id: 'action-of-megabytes-500',
    rule: 'pods.action-body.oversize',
    clause: 'megabytes',
    says: 'An action body of several megabytes is answered 500.',
    observed: 'status 500',
    wrap: (fetch) => async (request) => {
      const { size } = await request.clone().blob()
      return size > 1_000_000 ? new Response(null, { status: 500 }) : fetch(request)
    },
  },
  {
    id: 'action-of-many-levels-500',
    rule: 'pods.action-body.oversize',
    clause: 'levels',
    says: 'An action body of thousands of levels overflows a stack and is answered 500.',
    observed: 'status 500',
    wrap: (fetch) => async (request) => {
      const text = await request.clone().text()
      return text.includes('['.repeat(5_000)) ? new Response(null, { status: 500 }) : fetch(request)
    },
  },
  {
    id: 'action-of-megabytes-refused-and-stops',
    rule: 'pods.action-body.oversize',
    clause: 'unchanged',
    says: 'An action body that is too large is refused, and the pod is stopped.',
    observed: stopped,
    change: carriesOut((_, { status }) => status === 413, effectOf('stop')),
  },
  {
    id: 'action-of-megabytes-refused-and-stops-later',
    rule: 'pods.action-body.oversize',
    clause: 'unchanged',
    says: 'An action body that is too large is refused, and the pod is stopped a second later.',
    observed: stopped,
    change: carriesOut((_, { status }) => status === 413, later(1000, effectOf('stop'))),
  },
  {
    id: 'action-errors-missing',
    rule: 'pods.action-body.errors-list',
    clause: 'list',
    says: 'A 422 to an action lists no errors.',
    observed: 'errors nothing',
    change: options({ style: { errorsList: 'never' } }),
  },
  {
    id: 'action-errors-objects',
    rule: 'pods.action-body.errors-list',
    clause: 'strings',
    says: 'A 422 to an action lists its errors as objects.',
    observed: 'errors of type object',
    wrap: onJson(
      (request, { status }) => is.action(request) && status === 422,
      ({ errors, ...problem }) => ({ ...problem, errors: [{ message: errors }] }),
    ),
  },
] as const satisfies readonly Defect[]

function isText(request: Request): boolean {
  return is.action(request) && request.headers.get('content-type') === 'text/plain'
}
