import { nearKeys } from '../../harness/common/mutate.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { Refusal, type StoredPod } from '../../reference/index.ts'
import { likeBearer, longerKeys } from '../../suites/auth/table.ts'
import type { Defect } from '../types.ts'
import { carriesOut, effectOf, later, seen } from './action-tools.ts'
import { authorizationIs, authorized, both, isMissing, isRestricted, isStranger, lets, tokenIs } from './auth-tools.ts'
import { asks } from './queue-tools.ts'
import { type Change, defect, is, jsonOf, options, part, refusing, requestOf, restated, setsHeader } from './tools.ts'

/** Other faults: what responses tell of resources and keys, and what counts as a valid Authorization. */
export const authOther: readonly Defect[] = [
  defect('stranger-told-name', 'auth.pods.hidden', 'not-told', {
    says: 'The refusal to another account names the pod.',
    observed: 'the name of the pod',
    change: revealsToStrangers((pod) => pod.name),
  }),
  defect('stranger-told-variables', 'auth.pods.hidden', 'not-told', {
    says: 'The refusal to another account repeats the variables of the pod.',
    observed: 'a variable of the pod',
    change: revealsToStrangers((pod) => JSON.stringify(pod.env)),
  }),
  defect('stranger-lists-all-pods', 'auth.pods.hidden', 'not-listed', {
    says: 'The list shows the pods of every account.',
    observed: 'the pod of another account',
    change: part('listPods', (_next, _caller, { store }) => [...store.all()]),
  }),
  defect('stranger-mounts-volume', 'auth.pods.hidden-volume', 'refused', {
    says: 'A pod may have the network volume of another account.',
    observed: 'status 201',
    change: part('buildPod', (next, body, caller) => ({
      ...next(body, { ...caller, user: 'user-1' }),
      user: caller.user,
    })),
  }),
  defect('no-key-403-on-stream', 'auth.queue.missing', 'refused', {
    says: 'The operation /stream without a key is answered 403.',
    observed: 'status 403',
    wrap: restated(both(isMissing, asks('stream')), 401, 403),
  }),
  defect('stranger-told-input', 'auth.queue.hidden', 'not-told', {
    says: 'The refusal to another account tells the inputs of the jobs.',
    observed: 'status 403 with the input of the job',
    change: refusing('findEndpoint', (id, { user }, { queue }) => {
      const endpoint = queue.endpoints.get(id)
      const inputs = () => JSON.stringify([...(endpoint?.jobs.values() ?? [])].map(({ input }) => input))
      return endpoint && endpoint.user !== user && [403, inputs()]
    }),
  }),
  defect('stranger-told-endpoint-name', 'auth.management.hidden', 'not-told', {
    says: 'The refusal to another account names the endpoint.',
    observed: 'the name of the endpoint',
    change: refusing('ownEndpoint', (id, { user }, { queue }) => {
      const endpoint = queue.endpoints.get(id)
      return endpoint !== undefined && endpoint.user !== user && [403, `${endpoint.name} is not yours`]
    }),
  }),
  defect('stranger-lists-endpoints', 'auth.management.hidden', 'not-listed', {
    says: 'The list shows the endpoints of all accounts.',
    observed: 'the endpoint of another account',
    change: part('listEndpoints', (_next, _caller, { queue }) => [...queue.endpoints.values()]),
  }),
  ...(['args', 'disk', 'env', 'mounts', 'ports'] as const).map((member) =>
    defect(`stranger-patches-${member}`, 'auth.pods.hidden', 'refused', {
      says: `A PATCH of ${member} is carried out for another account.`,
      observed: 'status 200',
      wrap: (fetch) => async (request) => {
        const isMeant = isStranger(request) && is.patch(request) && member in ((await jsonOf(request)) ?? {})
        return fetch(isMeant ? authorized(request, `Bearer ${defaultKeys.full}`) : request)
      },
    }),
  ),
  defect('stranger-terminates', 'auth.pods.hidden', 'refused', {
    says: 'terminate is carried out for another account.',
    observed: 'status 204',
    wrap: (fetch) => async (request) => {
      const isMeant = isStranger(request) && is.action(request) && (await jsonOf(request))?.action === 'terminate'
      return fetch(isMeant ? authorized(request, `Bearer ${defaultKeys.full}`) : request)
    },
  }),
  defect('stranger-refused-and-restarts', 'auth.pods.hidden', 'unchanged', {
    says: 'restart of a pod of another account is refused, and carried out.',
    observed: seen('RUNNING', 'STARTING'),
    change: options({ style: { restartStatus: 'STARTING' } }),
    wrap: (fetch) => async (request) => {
      const isMeant = isStranger(request) && is.action(request) && (await jsonOf(request))?.action === 'restart'
      if (isMeant) await fetch(authorized(request.clone(), `Bearer ${defaultKeys.full}`))
      return fetch(request)
    },
  }),
  defect('stranger-refused-and-stops', 'auth.pods.hidden', 'unchanged', {
    says: 'An action on a RUNNING pod of another account is refused, and the pod is stopped.',
    observed: seen('RUNNING', 'EXITED'),
    change: carriesOut(
      isStranger,
      later(1_000, (pod, service) => {
        if (pod.status === 'RUNNING') effectOf('stop')(pod, service)
      }),
    ),
  }),
  defect('restricted-key-refused-and-stops-later', 'auth.pods.forbidden', 'unchanged', {
    says: 'A key that may only read is refused an action, and the pod is stopped a second later.',
    observed: seen('RUNNING', 'EXITED'),
    change: carriesOut(isRestricted, later(1_000, effectOf('stop'))),
  }),
  defect('granted-read-refused', 'auth.granted', 'granted', {
    says: 'A key that was granted to read cannot read a pod.',
    observed: 'status 403',
    change: refusing(
      'authorize',
      ({ permissions }, operation) => permissions !== '*' && operation === 'getPod' && [403, 'access denied'],
    ),
  }),
  defect('token-in-header', 'auth.token-not-echoed', 'header', {
    says: 'Answers repeat the token in X-Key.',
    observed: 'a bearer token in x-key',
    wrap: setsHeader(is.get, 'x-key', (_, request) => request.headers.get('authorization') ?? ''),
  }),
  defect('token-in-refusal', 'auth.token-not-echoed', 'body', {
    says: 'The refusal of a token repeats it.',
    observed: 'a bearer token in the body',
    change: part('authenticate', (next, authorization) => {
      try {
        return next()
      } catch {
        throw new Refusal(401, `no such key: ${authorization}`)
      }
    }),
    tour: ['auth.pods.invalid'],
  }),
  defect('refusal-without-challenge', 'auth.challenge', 'challenge', {
    says: 'A 401 has no WWW-Authenticate.',
    observed: 'no WWW-Authenticate',
    change: options({ style: { wwwAuthenticate: false } }),
    tour: ['auth.pods.missing'],
  }),
  ...Object.entries(longerKeys).map(([name, form]) =>
    defect(`longer-key-with-${slug(name)}-accepted`, 'auth.pods.invalid', 'longer', {
      says: `Every operation is served with a key that has more around it (${name}).`,
      observed: 'status 200',
      variation: { sample: name },
      change: lets(tokenIs(form(defaultKeys.full))),
    }),
  ),
  ...Object.entries(likeBearer).map(([name, form]) =>
    defect(`header-with-${slug(name)}-accepted`, 'auth.pods.malformed', 'like-bearer', {
      says: `A pod can be read with an Authorization that resembles a bearer token (${name}).`,
      observed: 'status 200',
      variation: { sample: name },
      change: lets(both(is.get, authorizationIs(form(defaultKeys.full)))),
    }),
  ),
  defect('basic-scheme-accepted', 'auth.pods.malformed', 'another-scheme', {
    says: 'A good token is accepted with the scheme Basic.',
    observed: 'status 200',
    change: lets(authorizationIs(/^Basic /)),
  }),
  ...(['createEndpoint', 'runJob'] as const).map((operation) =>
    defect(
      `body-validated-before-key-${operation === 'runJob' ? 'run' : 'endpoint'}`,
      'auth.before-validation',
      'wrong-body',
      {
        says: `${operation} with a wrong body is answered 422 before its key is looked at.`,
        observed: 'status 422',
        wrap: restated(
          async (request) =>
            requestOf(operation)(request) && /plumbline":true|a text/.test(await request.clone().text()),
          401,
          422,
        ),
      },
    ),
  ),
  defect('body-read-before-key', 'auth.before-validation', 'wrong-body', {
    says: 'An action call without a body is answered 400 before its key is looked at.',
    observed: 'status 400',
    wrap: restated(async (request) => is.action(request) && (await request.clone().text()) === '', 401, 400),
  }),
  defect('pod-looked-up-before-key', 'auth.before-validation', 'unknown-id', {
    says: 'DELETE of a pod that does not exist is answered 404 before its key is looked at.',
    observed: 'status 404',
    wrap: (fetch) => async (request) => {
      if (!is.delete(request) || request.headers.has('authorization')) return fetch(request)
      const read = await fetch(new Request(request.url, { headers: { authorization: `Bearer ${defaultKeys.full}` } }))
      return read.status === 404 ? read : fetch(request)
    },
  }),
  ...([is.list, is.get] as const).map((when, at) =>
    defect(`key-in-any-case-${at === 0 ? 'lists' : 'reads'}`, 'auth.scheme-case', 'token', {
      says: `A key is accepted in the other case when pods are ${at === 0 ? 'listed' : 'read'}.`,
      observed: 'status 200',
      change: lets(both(when, tokenIs(nearKeys.recased(defaultKeys.full)))),
    }),
  ),
  ...(['bearer', 'BEARER'] as const).map((scheme) =>
    defect(`scheme-${scheme === 'bearer' ? 'lower' : 'upper'}-case-refused`, 'auth.scheme-case', scheme, {
      says: `The scheme is refused when it is written ${scheme}.`,
      observed: 'status 401',
      change: refusing(
        'authenticate',
        (authorization) => authorization?.startsWith(`${scheme} `) && [401, 'malformed authorization header'],
      ),
    }),
  ),
]

/** The refusal to another account says something of the pod. */
function revealsToStrangers(says: (pod: StoredPod) => string): Change {
  return refusing('findPod', (id, { user }, { store }) => {
    const pod = store.get(id)
    return pod && pod.user !== user && [403, `no access to ${says(pod)}`]
  })
}

function slug(words: string): string {
  return words.replaceAll(' ', '-')
}
