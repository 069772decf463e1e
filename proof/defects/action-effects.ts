import type { PodAction } from '../../generated/tables.ts'
import type { Defect } from '../types.ts'
import {
  carriesOut,
  comesBack,
  comesBackAs,
  does,
  doesToo,
  effectOf,
  later,
  refusesWith,
  seen,
} from './action-tools.ts'
import {
  answered,
  defect,
  is,
  jsonOf,
  onJson,
  onResponse,
  options,
  part,
  readOf,
  restated,
  setsHeader,
  shows,
  succeeded,
  type Wrap,
} from './tools.ts'

const stopped = seen('RUNNING', 'EXITED')
const restarted = seen('EXITED', 'RUNNING')
const refusesText = options({ style: { mediaType: 415 } })

/** Actions and their bodies beyond the tables. */
export const actionEffects: readonly Defect[] = [
  defect('refused-start-stops-after-minutes', 'pods.action.running.start', 'unchanged', {
    says: 'start of a RUNNING pod is refused, and stops it 150 s later.',
    observed: stopped,
    change: refusesWith({ status: 'RUNNING', action: 'start' }, later(150_000, effectOf('stop'))),
  }),
  defect('running-pods-exit', 'pods.status.running-lasts', 'stays', {
    says: 'Every pod becomes EXITED 90 s after it became RUNNING.',
    observed: 'status EXITED',
    change: part('enter', (next, pod, status, service) => {
      next()
      const exit = () => {
        if (pod.status === 'RUNNING') service.parts.enter(pod, 'EXITED', service)
      }
      if (status === 'RUNNING') service.clock.schedule(service.clock.now() + 90_000, exit)
    }),
  }),
  defect('error-start-ignored', 'pods.action.error.start-leaves', 'left', {
    says: 'start of a pod in ERROR is answered 200, and the pod stays in ERROR.',
    observed: 'status ERROR',
    change: does({ status: 'ERROR', action: 'start' }, () => {}),
  }),
  defect('error-start-answered-and-ignored', 'pods.action.error.start-leaves', 'left', {
    says: 'start of a pod in ERROR answers a pod that is STARTING, and reads show it in ERROR as before.',
    observed: 'status ERROR',
    change: does({ status: 'ERROR', action: 'start' }, () => {}),
    wrap: onJson(succeeded(is.action), (pod) => ({ ...pod, status: 'STARTING', actions: ['stop', 'terminate'] })),
  }),
  defect('terminated-terminates-again', 'pods.action.terminated.any', 'refused', {
    says: 'terminate of a terminated pod is answered 204 again.',
    observed: 'status 204',
    wrap: (fetch) => async (request) => {
      const body = await jsonOf(request)
      const response = await fetch(request)
      const isMeant = is.action(request) && response.status === 404 && body?.action === 'terminate'
      return isMeant ? new Response(null, { status: 204 }) : response
    },
  }),
  defect('refused-restart-done-later', 'pods.action.starting.restart', 'goes-on', {
    says: 'restart of a STARTING pod is refused, and carried out once it is RUNNING.',
    observed: 'a restart after the refused one',
    change: refusesWith({ status: 'STARTING', action: 'restart' }, later(5_000, effectOf('restart'))),
  }),
  defect('refused-restart-stalls-pod', 'pods.action.starting.restart', 'goes-on', {
    says: 'A STARTING pod whose restart is refused stays STARTING.',
    observed: 'status STARTING',
    change: refusesWith({ status: 'STARTING', action: 'restart' }, (pod) => {
      pod.pending?.cancel()
    }),
  }),
  defect('refused-restart-of-new-pod-done-later', 'pods.action.provisioning.restart', 'goes-on', {
    says: 'restart of a PROVISIONING pod is refused, and carried out once it is RUNNING.',
    observed: 'a restart after the refused one',
    change: refusesWith({ status: 'PROVISIONING', action: 'restart' }, later(7_000, effectOf('restart'))),
  }),
  defect('terminated-delete-500', 'pods.action.terminated.any', 'deleted', {
    says: 'DELETE of a pod that the action terminate removed is answered 500.',
    observed: 'status 500',
    wrap: restated(is.delete, 404, 500),
  }),
  defect('terminated-comes-back-when-asked', 'pods.action.terminated.any', 'stays-terminated', {
    says: 'An action on a terminated pod is answered 404, and the pod is back a second later.',
    observed: 'status EXITED',
    change: comesBack,
  }),
  defect('unknown-pod-restart-400', 'pods.action.unknown-pod', 'not-found', {
    says: 'restart of a pod that does not exist is answered 400.',
    observed: 'status 400',
    wrap: restated(async (request) => is.action(request) && (await jsonOf(request))?.action === 'restart', 404, 400),
  }),
  defect('stopped-cpu-pod-costs', 'pods.action.stop-frees-compute', 'cost', {
    says: 'A CPU pod that was stopped still costs.',
    observed: 'cost 0.06',
    change: shows((shown, pod) =>
      pod.status === 'EXITED' && 'cpu' in pod.hardware ? { ...shown, cost: 0.06 } : shown,
    ),
  }),
  defect('stopped-pod-keeps-runtime', 'pods.action.stop-frees-compute', 'runtime', {
    says: 'A pod with a persistent mount that was stopped still shows the ports of its runtime.',
    observed: 'runtime an object',
    variation: { branch: 'gpu persistent' },
    change: shows((shown, { status, mounts }) =>
      status === 'EXITED' && mounts.persistent ? { ...shown, runtime: { ports: [] } } : shown,
    ),
  }),
  defect('stop-detaches-volume', 'pods.action.stop-frees-compute', 'kept', {
    says: 'stop detaches the network volume of a pod.',
    observed: 'mounts {}',
    variation: { branch: 'network' },
    change: doesToo({ status: 'RUNNING', action: 'stop' }, (pod) => {
      if (pod.mounts.network) pod.mounts = {}
    }),
  }),
  defect('terminated-comes-back', 'pods.action.terminate-is-final', 'settled', {
    says: 'A pod that was terminated while RUNNING is back as EXITED four seconds later.',
    observed: 'status EXITED',
    change: doesToo({ status: 'RUNNING', action: 'terminate' }, later(4000, comesBackAs('EXITED'))),
  }),
  defect('terminated-goes-on-to-start', 'pods.action.terminate-is-final', 'on-its-way', {
    says: 'A pod that was terminated while PROVISIONING goes on to STARTING.',
    observed: 'status STARTING',
    change: doesToo({ status: 'PROVISIONING', action: 'terminate' }, later(2000, comesBackAs('STARTING'))),
  }),
  ...(['restart', 'stop', 'start'] as const).map((action) =>
    defect(`${action}-answers-former-pod`, 'pods.action.answer-updated', action, {
      says: `The response to ${action} shows the pod as it was before.`,
      observed: {
        restart: 'startedAt as before restart',
        stop: 'actions, cost, runtime, status as before stop',
        start: 'actions, cost, status as before start',
      }[action],
      wrap: answersFormerPod(action),
    }),
  ),
  defect('restart-answers-text-json', 'pods.action.content-type', 'json', {
    says: 'The pod that restart answers is text/json.',
    observed: 'text/json',
    wrap: setsHeader(succeeded(is.action), 'content-type', 'text/json'),
    tour: ['pods.action.running.restart'],
  }),
  defect('terminate-announces-body', 'pods.action.content-type', 'no-body', {
    says: 'The 204 to terminate announces a body in pieces.',
    observed: 'Transfer-Encoding chunked',
    wrap: setsHeader(answered(204, is.action), 'transfer-encoding', 'chunked'),
    tour: ['pods.action.running.terminate'],
  }),
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
    wrap: onResponse(isText, ({ text }) => ({ status: 406, text })),
  }),
  defect('action-as-text-ignored', 'pods.action-body.media-type', 'carried-out', {
    says: 'An action body of type text/plain is answered 200, and has no effect.',
    observed: 'status RUNNING',
    wrap: (fetch) => (request) => fetch(isText(request) ? readOf(request) : request),
  }),
  defect('action-as-text-refused-in-text', 'pods.action-body.media-type', 'problem', {
    says: 'An action body of type text/plain is refused with a text.',
    observed: 'text/plain',
    change: refusesText,
    wrap: setsHeader(isText, 'content-type', 'text/plain', { text: 'wrong type' }),
  }),
  defect('action-with-charset-refused', 'pods.action-body.media-type', 'charset', {
    says: 'An action body whose type is not exactly application/json is refused.',
    observed: 'status 415',
    change: refusesText,
    wrap: (fetch) => (request) => {
      if (request.headers.get('content-type')?.includes('charset')) request.headers.set('content-type', 'text/plain')
      return fetch(request)
    },
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
      const { byteLength } = await request.clone().arrayBuffer()
      return byteLength > 1_000_000 ? new Response(null, { status: 500 }) : fetch(request)
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
    says: 'A 422 to an action has an empty list of errors.',
    observed: 'errors []',
    wrap: onJson(answered(422, is.action), (problem) => ({ ...problem, errors: [] })),
  }),
  defect('action-errors-objects', 'pods.action-body.errors-list', 'strings', {
    says: 'A 422 to an action lists its errors as objects.',
    observed: 'errors of type object',
    wrap: onJson(answered(422, is.action), ({ errors, ...problem }) => ({ ...problem, errors: [{ message: errors }] })),
  }),
]

/** An action is carried out and answered with the pod as a read showed it just before. */
function answersFormerPod(asked: PodAction): Wrap {
  return (fetch) => async (request) => {
    if (!is.action(request) || (await jsonOf(request))?.action !== asked) return fetch(request)
    const former = await fetch(readOf(request))
    const response = await fetch(request)
    return response.status === 200 ? new Response(await former.text(), response) : response
  }
}

function isText(request: Request): boolean {
  return is.action(request) && request.headers.get('content-type') === 'text/plain'
}
