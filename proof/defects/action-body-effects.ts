import type { Defect } from '../types.ts'
import { carriesOut, effectOf, later, seen } from './action-tools.ts'
import { defect, is, onAnswer, onJson, options, restated, setsHeader } from './tools.ts'

const stopped = seen('RUNNING', 'EXITED')
const restarted = seen('EXITED', 'RUNNING')
const refusesText = options({ style: { mediaType: 415 } })

/** Action bodies: what is beyond the tables of those that are refused. */
export const actionBodyEffects: readonly Defect[] = [
  defect('action-not-json-refused-and-terminates', 'pods.action-body.no-effect', 'unchanged', {
    says: 'An action body that is not JSON is refused, and the pod is terminated.',
    observed: 'status 404: it is gone',
    change: carriesOut((_, { status }) => status === 400, effectOf('terminate')),
  }),
  defect('action-extra-refused-and-stops-later', 'pods.action-body.no-effect', 'unchanged', {
    says: 'An action body that fails validation is refused, and the pod is stopped a second later.',
    observed: stopped,
    change: carriesOut((_, { status }) => status === 422, later(1000, effectOf('stop'))),
  }),
  defect('action-invalid-and-not-permitted-400', 'pods.action-body.validation-first', 'refused', {
    says: 'An action that the status does not permit, in a body that fails validation, is answered 400.',
    observed: 'status 400',
    wrap: restated(is.action, 422, 400),
  }),
  defect('action-invalid-and-not-permitted-carried-out', 'pods.action-body.validation-first', 'unchanged', {
    says: 'A restart that the status does not permit, in a body that fails validation, is refused and carried out.',
    observed: restarted,
    change: carriesOut((_, { status }) => status === 422, effectOf('restart')),
  }),
  defect('action-invalid-and-not-permitted-carried-out-later', 'pods.action-body.validation-first', 'unchanged', {
    says: 'A restart that the status does not permit, in a body that fails validation, is carried out a second later.',
    observed: restarted,
    change: carriesOut((_, { status }) => status === 422, later(1000, effectOf('restart'))),
  }),
  defect('action-as-text-406', 'pods.action-body.media-type', 'answered', {
    says: 'An action body of type text/plain is answered 406.',
    observed: 'status 406',
    wrap: onAnswer(isText, ({ text }) => ({ status: 406, text })),
  }),
  defect('action-as-text-ignored', 'pods.action-body.media-type', 'carried-out', {
    says: 'An action body of type text/plain is answered 200, and comes to nothing.',
    observed: 'status RUNNING',
    wrap: (fetch) => async (request) => {
      const { headers, url } = request
      return isText(request) ? fetch(new Request(url.replace(/\/action$/, ''), { headers })) : fetch(request)
    },
  }),
  defect('action-as-text-refused-in-text', 'pods.action-body.media-type', 'problem', {
    says: 'An action body of type text/plain is refused with a text.',
    observed: 'text/plain',
    change: refusesText,
    wrap: setsHeader(isText, 'content-type', 'text/plain', { text: 'wrong type' }),
  }),
  defect('action-as-text-refused-and-stops', 'pods.action-body.media-type', 'unchanged', {
    says: 'An action body of type text/plain is refused, and the pod is stopped.',
    observed: stopped,
    change: carriesOut(isText, effectOf('stop'), { style: { mediaType: 415 } }),
  }),
  defect('action-as-text-refused-and-stops-later', 'pods.action-body.media-type', 'unchanged', {
    says: 'An action body of type text/plain is refused, and the pod is stopped a second later.',
    observed: stopped,
    change: carriesOut(isText, later(1000, effectOf('stop')), { style: { mediaType: 415 } }),
  }),
  defect('action-of-megabytes-500', 'pods.action-body.oversize', 'megabytes', {
    says: 'An action body of several megabytes is answered 500.',
    observed: 'status 500',
    wrap: (fetch) => async (request) => {
      const { size } = await request.clone().blob()
      return size > 1_000_000 ? new Response(null, { status: 500 }) : fetch(request)
    },
  }),
  defect('action-of-many-levels-500', 'pods.action-body.oversize', 'levels', {
    says: 'An action body of thousands of levels overflows a stack and is answered 500.',
    observed: 'status 500',
    wrap: (fetch) => async (request) => {
      const text = await request.clone().text()
      return text.includes('['.repeat(5_000)) ? new Response(null, { status: 500 }) : fetch(request)
    },
  }),
  defect('action-of-megabytes-refused-and-stops', 'pods.action-body.oversize', 'unchanged', {
    says: 'An action body that is too large is refused, and the pod is stopped.',
    observed: stopped,
    change: carriesOut((_, { status }) => status === 413, effectOf('stop')),
  }),
  defect('action-of-megabytes-refused-and-stops-later', 'pods.action-body.oversize', 'unchanged', {
    says: 'An action body that is too large is refused, and the pod is stopped a second later.',
    observed: stopped,
    change: carriesOut((_, { status }) => status === 413, later(1000, effectOf('stop'))),
  }),
  defect('action-errors-missing', 'pods.action-body.errors-list', 'list', {
    says: 'A 422 to an action lists no errors.',
    observed: 'errors nothing',
    change: options({ style: { errorsList: 'never' } }),
  }),
  defect('action-errors-objects', 'pods.action-body.errors-list', 'strings', {
    says: 'A 422 to an action lists its errors as objects.',
    observed: 'errors of type object',
    wrap: onJson(
      (request, { status }) => is.action(request) && status === 422,
      ({ errors, ...problem }) => ({ ...problem, errors: [{ message: errors }] }),
    ),
  }),
]

function isText(request: Request): boolean {
  return is.action(request) && request.headers.get('content-type') === 'text/plain'
}
