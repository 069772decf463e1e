import { type OperationId, operations } from '../../generated/operations.ts'
import { defaultAccounts, defaultKeys } from '../../reference/auth/accounts.ts'
import { readOf, restated } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, nullMountsOf, reads, styled } from './tools.ts'

const nullMounts = nullMountsOf('persistent', 'network', 'cpu network', 'none')

/** Who is refused with what, where the description leaves more than one answer. */
export const refusals = [
  latitude('no-challenge', 'A 401 has no WWW-Authenticate.', {
    style: { wwwAuthenticate: false },
    verdicts: { 'auth.challenge': 'advice' },
  }),
  latitude('scheme-case-exact', 'Only Bearer with a capital letter is accepted.', {
    style: { schemeCase: 'exact' },
    verdicts: { 'auth.scheme-case': 'advice' },
  }),

  latitude('strangers-may-not-list', 'The key of another account may not list pods.', {
    // If a creation does not show the id, the pod can only be found in the list.
    about: 'bodies of creations',
    options: {
      accounts: defaultAccounts.map((account) => ({
        ...account,
        keys: account.keys.map((key) =>
          key.token === defaultKeys.stranger ? { ...key, permissions: allBut('listPods') } : key,
        ),
      })),
    },
    verdicts: { 'auth.pods.hidden': 'inconclusive', 'limits.pods.per-user': 'inconclusive' },
  }),

  latitude('unknown-methods-501', 'A method that a path does not have is answered 501, with an HTML page.', {
    about: 'other methods',
    wrap: (fetch) => async (request) => {
      const response = await fetch(request)
      const isUnknown = response.status === 405 || (response.status === 404 && request.method === 'PUT')
      return isUnknown ? new Response('<p>no', { status: 501, headers: { 'content-type': 'text/html' } }) : response
    },
    readings: {
      ...reads('pods.odd-requests', '501', ['method']),
      ...reads('queue.method-wrong', '501', ['method', 'run', 'status']),
    },
  }),
  styled(
    'locked-403',
    'A locked pod refuses with 403 and does not publish what the lock refuses.',
    {
      lockedRefusal: 403,
      lockedActions: 'without',
    },
    {
      about: 'locked pods',
      readings: {
        ...reads('pods.action.locked-reset', '403', ['status']),
        ...reads('pods.action.locked-terminate', 'terminate', ['actions']),
      },
    },
  ),
  styled(
    'locked-423',
    'A locked pod refuses with 423, terminate too but not restart, and does not publish what the lock refuses.',
    {
      lockedRefusal: 423,
      lockedActions: 'without',
      lockedRestart: 'allow',
      lockedTerminate: 'refuse',
    },
    {
      about: 'locked pods',
      readings: {
        ...reads('pods.action.locked-reset', '200', ['status']),
        'pods.action.locked-terminate': { actions: 'restart', status: '423' },
      },
    },
  ),

  styled('errors-always', 'Every error lists errors.', { errorsList: 'always' }),
  latitude('errors-never', 'No error lists errors.', {
    style: { errorsList: 'never' },
    verdicts: { 'pods.action-body.errors-list': 'not-applicable' },
  }),
  styled('other-texts', 'Titles and details are worded in another way.', { texts: 'other' }),
  latitude('refusals-repeat-body', 'The error of a 403 or 404 repeats the body of the request.', {
    about: 'words of errors',
    wrap: (fetch) => async (request) => {
      const sent = await request.clone().text()
      const response = await fetch(request)
      if ((response.status !== 403 && response.status !== 404) || sent === '') return response
      const added = (_: string, name: string) => `"${name}":${JSON.stringify(`${sent}: `).slice(0, -1)}`
      return new Response((await response.text()).replace(/"(detail|error)":"/, added), response)
    },
  }),
  styled('media-type-charset', 'Content types carry a charset.', { mediaTypeForm: 'charset' }),
  styled('media-type-mixed-case', 'Content types are written with capital letters.', { mediaTypeForm: 'mixed-case' }),

  latitude('media-type-refused-400', 'A body of another content type is 400.', {
    planes: ['pods', 'queue', 'management'],
    style: { mediaType: 400 },
    readings: otherTypesRefused('400', '400'),
  }),
  latitude('media-type-refused-415', 'A body of another content type is 415.', {
    planes: ['pods', 'queue', 'management'],
    style: { mediaType: 415 },
    readings: otherTypesRefused('415', '415'),
    about: 'media-type',
    wrap: restated(submitsOther, 400, 415),
  }),
  latitude('media-type-refused-422', 'A body of another content type is 422.', {
    planes: ['pods', 'queue', 'management'],
    style: { mediaType: 422 },
    readings: otherTypesRefused('422', '400'),
  }),
  latitude('empty-body-422', 'A request without the body that it needs is 422.', {
    style: { emptyBody: 422 },
    readings: reads('pods.action-body.empty', '422', ['no-body']),
  }),
  latitude('not-utf8-422', 'A body that is not UTF-8 is 422.', {
    style: { notUtf8: 422 },
    readings: reads('pods.action-body.empty', '422', ['not-utf8']),
  }),
  latitude('not-object-400', 'A body that is no object is 400.', {
    style: { notObject: 400 },
    verdicts: { 'pods.action-body.not-object-422': 'advice' },
    readings: reads('pods.action-body.not-object', '400', ['array', 'null', 'number', 'string']),
  }),
  latitude('oversize-400', 'A body that is too large is 400.', {
    style: { oversize: 400 },
    readings: reads('pods.action-body.oversize', '400', ['levels', 'megabytes']),
  }),
  latitude('oversize-422', 'A body that is too large is 422.', {
    style: { oversize: 422 },
    readings: reads('pods.action-body.oversize', '422', ['levels', 'megabytes']),
  }),
  latitude('status-before-validation', 'Whether the status permits an action is looked at before the body is.', {
    style: { validationFirst: false },
    readings: reads('pods.action-body.validation-first', '409', ['status']),
  }),

  latitude('two-networks-400', 'Two network mounts are 400.', {
    style: { twoNetworks: 400 },
    readings: {
      ...reads('pods.patch.two-networks', '400', ['two networks']),
      ...reads('pods.create.two-networks', '400', ['two networks']),
    },
  }),
  latitude('null-mounts-400', 'null for mounts or a kind of mount is 400.', {
    style: { patchNull: 400 },
    readings: reads('pods.patch.null', '400', nullMounts),
  }),
  latitude('null-mounts-omitted', 'null for mounts or a kind of mount is taken as left out.', {
    style: { patchNull: 'omitted' },
    readings: reads('pods.patch.null', 'accepted', nullMounts),
  }),
  latitude('size-refused-400', 'The size of a persistent mount cannot be changed: 400.', {
    style: { patchPersistentSize: 400 },
    readings: reads('pods.patch.persistent-size', '400', ['another size']),
  }),
  latitude('size-refused-422', 'The size of a persistent mount cannot be changed: 422.', {
    style: { patchPersistentSize: 422 },
    readings: reads('pods.patch.persistent-size', '422', ['another size']),
  }),
  latitude('size-shrink-refused-400', 'A persistent mount can be made larger; a smaller size is 400, whatever it is.', {
    about: 'changes',
    wrap: (fetch) => async (request) => {
      const size = request.method === 'PATCH' ? sizeIn(await request.clone().text()) : null
      if (size === null) return fetch(request)
      const read = await fetch(readOf(request))
      const own = sizeIn(await read.text())
      if (own === null || size >= own) return fetch(request)
      const problem = { title: 'Bad Request', status: 400, detail: 'a persistent mount cannot be made smaller' }
      const headers = [...read.headers].filter(([name]) => name.startsWith('ratelimit'))
      return new Response(JSON.stringify(problem), {
        status: 400,
        headers: [['content-type', 'application/problem+json'], ...headers],
      })
    },
    verdicts: { 'pods.patch.size-minimum': 'inconclusive' },
  }),
  styled('cpu-persistent-422', 'A persistent mount on a CPU pod is 422.', { cpuPersistent: 422 }),
] as const satisfies readonly Latitude[]

/** The size of a persistent mount in a body; null if it names none. */
function sizeIn(text: string): number | null {
  const size = /"persistent":\s*\{[^}]*"size":\s*(-?\d+)\b/.exec(text)?.[1]
  return size === undefined ? null : Number(size)
}

/** Readings of a platform that refuses bodies of another content type; a queue-based endpoint has statuses of its own. */
function otherTypesRefused(status: string, ofQueue: string): NonNullable<Latitude['readings']> {
  return {
    ...reads('pods.action-body.media-type', status, ['text']),
    ...reads('pods.create.media-type', status, ['creation']),
    ...reads('pods.patch.media-type', status, ['patch']),
    ...reads('queue.body.media-type', ofQueue, ['run', 'runsync']),
    ...reads('endpoints.create-media-type', status, ['creation']),
    ...reads('endpoints.update-media-type', status, ['update']),
  }
}

/** True for a submission whose content type is not JSON. */
function submitsOther({ headers, method, url }: Request): boolean {
  const type = headers.get('content-type')
  return method === 'POST' && /\/run(?:sync)?$/.test(url) && type !== null && type !== 'application/json'
}

function allBut(operation: OperationId): OperationId[] {
  return (Object.keys(operations) as OperationId[]).filter((name) => name !== operation)
}
