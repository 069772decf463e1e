import { defaultKeys } from '../../reference/auth/accounts.ts'
import { Refusal, type StoredPod } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { effectOf, seen } from './action-tools.ts'
import { both, isStranger, lets, refusesAndDoes, refusesAndDoesLater, tokenIs } from './auth-tools.ts'
import { type Change, defect, is, options, part, refusing, setsHeader } from './tools.ts'

const isRestricted = tokenIs(defaultKeys.restricted)

/** Keys of another account, and keys with few permissions; what answers tell of keys. */
export const authAccess: readonly Defect[] = [
  defect('stranger-reads-pod', 'auth.pods.hidden', 'refused', {
    says: 'GET shows a pod to another account.',
    observed: 'status 200',
    change: lets(both(isStranger, is.get)),
  }),
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
  defect('stranger-refused-and-deletes', 'auth.pods.hidden', 'unchanged', {
    says: 'DELETE by another account is answered 404 and carried out.',
    observed: 'status 404: it is gone',
    change: refusesAndDoes(both(isStranger, is.delete)),
  }),
  defect('stranger-refused-and-stops', 'auth.pods.hidden', 'unchanged', {
    says: 'An action on a RUNNING pod of another account is refused, and the pod is stopped.',
    observed: seen('RUNNING', 'EXITED'),
    change: refusesAndDoesLater(both(isStranger, is.action), (pod, service) => {
      if (pod.status === 'RUNNING') effectOf('stop')(pod, service)
    }),
  }),
  defect('stranger-refused-and-starts-later', 'auth.pods.hidden', 'unchanged', {
    says: 'An action by another account is answered 404 and carried out a minute later.',
    observed: seen('EXITED', 'RUNNING'),
    change: refusesAndDoesLater(both(isStranger, is.action), effectOf('start'), 60_000),
  }),
  defect('restricted-key-deletes', 'auth.pods.forbidden', 'refused', {
    says: 'A key that may only read can delete.',
    observed: 'status 204',
    change: lets(both(isRestricted, is.delete)),
  }),
  defect('restricted-key-refused-and-deletes', 'auth.pods.forbidden', 'unchanged', {
    says: 'A key that may only read is refused a deletion, which is carried out.',
    observed: 'status 404: it is gone',
    change: refusesAndDoes(both(isRestricted, is.delete)),
  }),
  defect('restricted-key-refused-and-stops-later', 'auth.pods.forbidden', 'unchanged', {
    says: 'A key that may only read is refused an action, and the pod is stopped a second later.',
    observed: seen('RUNNING', 'EXITED'),
    change: refusesAndDoesLater(both(isRestricted, is.action), effectOf('stop')),
  }),
  defect('restricted-key-refused-and-creates', 'auth.pods.forbidden', 'not-created', {
    says: 'A key that may only read is refused a creation, which is carried out.',
    observed: 'the pod whose creation was refused',
    change: refusesAndDoes(both(isRestricted, is.create)),
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
]

/** The refusal to another account says something of the pod. */
function revealsToStrangers(says: (pod: StoredPod) => string): Change {
  return refusing('findPod', (id, { user }, { store }) => {
    const pod = store.get(id)
    return pod && pod.user !== user && [403, `no access to ${says(pod)}`]
  })
}
