import { canonical, membersOf } from '../../harness/exchange/read.ts'
import { composeOptions } from '../../reference/options.ts'
import { lists } from '../defects/list-delete.ts'
import { is, type Json, onJson, onResponse, serving, type Wrap } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { inProvisioning, inStarting, latitude, optioned, plane, reads, styled, verdict } from './tools.ts'

/** Other statuses of success, and other things that a caller gets to see. Only the action call has its responses stated. */
export const answers = [
  latitude('creation-answers-200', 'A creation is answered 200.', {
    style: { createStatus: 200 },
    about: 'bodies of creations',
  }),
  latitude('creation-answers-202', 'A creation is answered 202.', {
    style: { createStatus: 202 },
    about: 'bodies of creations',
  }),
  latitude('change-answers-202', 'A PATCH is answered 202.', { style: { updateStatus: 202 }, about: 'changes' }),
  styled('deletion-answers-200', 'DELETE answers 200 without a body.', { deleteStatus: 200 }),
  styled('deletion-answers-202', 'DELETE answers 202 without a body.', { deleteStatus: 202 }),
  styled('deletion-answers-object', 'DELETE answers 200 with an empty object.', {
    deleteStatus: 200,
    deleteBody: 'empty-object',
  }),
  styled('deletion-answers-pod', 'DELETE answers 200 with the pod as it is then.', {
    deleteStatus: 200,
    deleteBody: 'pod',
  }),
  latitude('change-answers-204', 'A PATCH is answered 204 without a body.', {
    about: 'changes',
    wrap: answersNothing((request, { status }) => request.method === 'PATCH' && status === 200, 204),
    verdicts: { 'pods.patch.answer': 'advice' },
  }),
  latitude('creation-answers-id', 'A creation is answered with the id of the pod and nothing else.', {
    about: 'bodies of creations',
    wrap: creationResponses('id'),
  }),
  {
    id: 'creation-answers-id-and-status',
    says: 'A creation is answered with the id and the status of the pod and nothing else.',
    about: 'bodies of creations',
    wrap: creationResponses('id', 'status'),
  },
  {
    id: 'creation-answers-id-and-running',
    says: 'A pod is RUNNING as soon as it is created, which is all that a creation answers beside its id.',
    // See `change-of-mounts-only`.
    about: ['bodies of creations', 'delays'],
    change: (options) => composeOptions(options, { life: { provisioningMs: 0, startingMs: 0 } }),
    wrap: creationResponses('id', 'status'),
    verdicts: verdict('inconclusive', [...inProvisioning, ...inStarting]),
  },
  {
    id: 'creation-answers-status-of-its-own',
    says: 'A creation is answered with an id and "accepted", which is no status of a pod.',
    about: 'bodies of creations',
    wrap: onJson(isCreated, ({ id }) => ({ id, status: 'accepted' })),
  },
  {
    id: 'creation-answers-nothing',
    says: 'A creation is answered 202 without a body, and the list shows the pod by its name.',
    about: ['bodies of creations', 'new resources', 'the list'],
    wrap: answersNothing(isCreated, 202),
  },
  latitude('list-of-short-entries', 'The list shows the id, the name and the status of each pod and nothing else.', {
    about: 'the list',
    wrap: listShows('id', 'name', 'status'),
    verdicts: { 'pods.list.full-shape': 'advice' },
  }),
  latitude('list-cached', 'The list of pods is made anew every five seconds.', {
    about: 'the list',
    change(options) {
      const cached = new Map<string | null, { readonly atMs: number; readonly text: string }>()
      return serving(async (request, { clock, fetch }) => {
        const response = await fetch(request)
        if (!is.list(request) || response.status !== 200) return response
        const key = request.headers.get('authorization')
        const last = cached.get(key)
        const isOld = last === undefined || clock.now() >= last.atMs + 5_000
        const made = isOld ? { atMs: clock.now(), text: await response.text() } : last
        cached.set(key, made)
        return new Response(made.text, { status: 200, headers: response.headers })
      })(options)
    },
  }),
  latitude('list-of-ids', 'The list shows the id of each pod and nothing else.', {
    about: 'the list',
    wrap: listShows('id'),
    verdicts: { 'pods.list.full-shape': 'advice' },
  }),
  latitude(
    'list-in-other-forms',
    'The list lacks variables of the platform and a count of 1; without a mount, `network` is an empty list.',
    {
      about: 'the list',
      style: { extraEnv: true },
      wrap: lists((pods) => pods.map(inOtherForms)),
    },
  ),
  latitude('reads-lag', 'For half a second a read shows a pod as the read before it did.', {
    // With a creation that answers nothing, a pod is first seen after it was in PROVISIONING.
    about: ['delays', 'new resources', 'bodies of creations'],
    change: (options) =>
      composeOptions(options, {
        wrapFetch: (fetch) => {
          const shown = new Map<string, { readonly untilMs: number; readonly text: string }>()
          return async (request) => {
            const response = await fetch(request)
            if (!(is.get(request) || is.list(request)) || response.status !== 200) return response
            const text = await response.text()
            const now = options.clock.now()
            const key = `${request.url} ${request.headers.get('authorization')}`
            const before = shown.get(key)
            if (before !== undefined && now < before.untilMs) return new Response(before.text, response)
            shown.set(key, { untilMs: now + 500, text })
            return new Response(text, response)
          }
        },
      }),
  }),
  latitude('reads-lag-behind', 'A read shows a pod as it was at the first read of the last four seconds.', {
    about: 'everything',
    change: (options) =>
      composeOptions(options, {
        wrapFetch: (fetch) => {
          const read = new Map<string, { readonly atMs: number; readonly text: string }[]>()
          return async (request) => {
            const response = await fetch(request)
            if (!is.get(request) || response.status !== 200) return response
            const text = await response.text()
            const now = options.clock.now()
            const history = read.get(request.url) ?? []
            read.set(request.url, [...history, { atMs: now, text }])
            const shown = history.find(({ atMs }) => atMs > now - 4_000)
            return new Response(shown?.text ?? text, response)
          }
        },
      }),
    // A pod that is shown STARTING has become RUNNING, which permits restart.
    verdicts: { 'pods.action.starting.restart': 'inconclusive' },
  }),

  styled('strangers-forbidden', "Another account's pod is answered 403.", { hidden: 403 }),
  styled('list-newest-first', 'The list begins with the newest pod.', { listOrder: 'newest-first' }),
  latitude('list-bare-array', 'The list of pods is the response itself, an array.', {
    style: { listShape: 'array' },
    file: plane({ listAt: '' }),
  }),
  latitude('catalog-bare-array', 'The CPU catalog is the response itself, an array.', {
    style: { catalogShape: 'array' },
    file: plane({ flavorsAt: '' }),
  }),
  {
    id: 'catalog-nested',
    says: 'The CPU catalog is nested, and the target file does not say where.',
    about: 'the catalog',
    file: plane({ catalog: true, cpu: { id: 'cpu3c', vcpuCount: 2, memory: 4 } }),
    wrap: onResponse(
      ({ url }) => url.endsWith('/v2/catalog/cpus'),
      ({ text }) => ({ text: text.startsWith('{"cpus"') ? `{"data":${text}}` : text }),
    ),
    verdicts: { 'pods.catalog.cpus': 'inconclusive', 'pods.shape.cpu-flavor-listed': 'blocked' },
  },
  styled(
    'unknown-query-400',
    'A query parameter that nobody knows is refused with 400.',
    { unknownQuery: 400 },
    {
      readings: reads('pods.query.unknown', '400', ['get', 'list']),
    },
  ),
  styled(
    'unknown-query-422',
    'A query parameter that nobody knows is refused with 422.',
    { unknownQuery: 422 },
    {
      readings: reads('pods.query.unknown', '422', ['get', 'list']),
    },
  ),

  optioned('ids-uuid', 'Pod ids are UUIDs.', { ids: (n) => `7f3c0a52-9d1e-4b6a-8c2f-${hex(n, 12)}` }),
  optioned('ids-upper-case', 'Pod ids are upper-case letters and digits.', {
    ids: (n) => `POD${hex(n, 13).toUpperCase()}`,
  }),
  optioned('ids-numbers', 'Pod ids are decimal numbers, as text.', { ids: (n) => String(90_071_992 + n * 7919) }),
  optioned('ids-long', 'Pod ids have dots, tildes, underscores and more than sixty characters.', {
    ids: (n) => `pod.region-1~cluster_17~${hex(n, 40)}~k`,
  }),
] as const satisfies readonly Latitude[]

/** The list shows some members of each pod. */
function listShows(...names: readonly string[]): Wrap {
  return lists((pods) => pods.map((pod) => only(pod, names)))
}

/** A pod without what a list may leave out, and with an empty list in place of no mount. */
function inOtherForms({ env, gpu, mounts, ...pod }: Json): Json {
  const { POD_ID: _, ...own } = membersOf(env) ?? {}
  const { count, ...type } = membersOf(gpu) ?? {}
  return {
    ...pod,
    env: own,
    mounts: canonical(mounts) === '{}' ? { network: [] } : mounts,
    ...(gpu !== undefined && { gpu: count === 1 ? type : gpu }),
  }
}

/** Creations answer some members of the pod. */
function creationResponses(...names: readonly string[]): Wrap {
  return onJson(isCreated, (pod) => only(pod, names))
}

/** Some answers have another status and no body. */
function answersNothing(when: Parameters<typeof onResponse>[0], status: number): Wrap {
  return onResponse(when, ({ headers }) => {
    headers.delete('content-type')
    return { status, text: '' }
  })
}

function isCreated(_: Request, { status }: Response): boolean {
  return status === 201
}

function only(pod: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, pod[name]]))
}

/** Hexadecimal digits that look like chance and differ for every n: an odd factor only permutes them. */
function hex(n: number, digits: number): string {
  const mixed = (BigInt(n + 1) * 0x9e3779b97f4a7c15n) % 2n ** BigInt(4 * Math.min(digits, 16))
  return mixed.toString(16).padStart(digits, '0')
}
