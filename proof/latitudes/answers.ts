import { composeOptions } from '../../reference/options.ts'
import type { Json } from '../defects/tools.ts'
import type { Fetch, Latitude } from '../types.ts'
import { inProvisioning, inStarting, isOfLb, latitude, optioned, plane, styled, verdict } from './tools.ts'

/** Other statuses of success, and other things that a caller gets to see. Only the action call has its answers stated. */
export const answers = [
  styled('creation-answers-200', 'A creation is answered 200.', { createStatus: 200 }),
  styled('creation-answers-202', 'A creation is answered 202.', { createStatus: 202 }),
  styled('change-answers-202', 'A PATCH is answered 202.', { updateStatus: 202 }),
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
    wrap: (fetch) => async (request) => {
      const response = await fetch(request)
      if (request.method !== 'PATCH' || response.status !== 200) return response
      response.headers.delete('content-type')
      return new Response(null, { status: 204, headers: response.headers })
    },
    verdicts: { 'pods.patch.answer': 'advice' },
  }),
  latitude('creation-answers-id', 'A creation is answered with the id of the pod and nothing else.', {
    wrap: creationAnswers('id'),
  }),
  {
    id: 'creation-answers-id-and-status',
    says: 'A creation is answered with the id and the status of the pod and nothing else.',
    wrap: creationAnswers('id', 'status'),
  },
  {
    id: 'creation-answers-id-and-running',
    says: 'A pod is RUNNING as soon as it is created, which is all that a creation answers beside its id.',
    change: (options) => composeOptions(options, { life: { provisioningMs: 0, startingMs: 0 } }),
    wrap: creationAnswers('id', 'status'),
    verdicts: verdict('inconclusive', [...inProvisioning, ...inStarting]),
  },
  {
    id: 'creation-answers-status-of-its-own',
    says: 'A creation is answered with an id and "accepted", which is no status of a pod.',
    wrap: (fetch) => async (request) => {
      const response = await fetch(request)
      if (response.status !== 201) return response
      const { id } = (await response.json()) as { readonly id: string }
      return new Response(JSON.stringify({ id, status: 'accepted' }), response)
    },
  },
  {
    id: 'creation-answers-nothing',
    says: 'A creation is answered 202 without a body, and the list shows the pod by its name.',
    wrap: (fetch) => async (request) => {
      const response = await fetch(request)
      if (response.status !== 201) return response
      const headers = new Headers(response.headers)
      headers.delete('content-type')
      return new Response(null, { status: 202, headers })
    },
  },
  latitude('list-of-short-entries', 'The list shows the id, the name and the status of each pod and nothing else.', {
    wrap: listShows('id', 'name', 'status'),
  }),
  latitude('list-of-ids', 'The list shows the id of each pod and nothing else.', { wrap: listShows('id') }),
  latitude('reads-lag', 'For half a second a read shows a pod as the read before it did.', {
    change: (options) =>
      composeOptions(options, {
        wrapFetch: (fetch) => {
          const shown = new Map<string, { readonly untilMs: number; readonly text: string }>()
          return async (request) => {
            const response = await fetch(request)
            if (request.method !== 'GET' || response.status !== 200 || isOfLb(request)) return response
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

  styled('strangers-forbidden', "Another account's pod is answered 403.", { hidden: 403 }),
  styled('list-newest-first', 'The list begins with the newest pod.', { listOrder: 'newest-first' }),
  latitude('list-bare-array', 'The list of pods is the answer itself, an array.', {
    style: { listShape: 'array' },
    file: plane({ listAt: '' }),
  }),
  latitude('catalog-bare-array', 'The CPU catalog is the answer itself, an array.', {
    style: { catalogShape: 'array' },
    file: plane({ flavorsAt: '' }),
  }),
  styled('unknown-query-400', 'A query parameter that nobody knows is refused with 400.', { unknownQuery: 400 }),
  styled('unknown-query-422', 'A query parameter that nobody knows is refused with 422.', { unknownQuery: 422 }),

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
function listShows(...names: readonly string[]): (fetch: Fetch) => Fetch {
  return (fetch) => async (request) => {
    const response = await fetch(request)
    if (request.method !== 'GET' || response.status !== 200 || !request.url.endsWith('/v2/pods')) return response
    const json: unknown = await response.json()
    const shown = (pods: readonly Json[]) =>
      pods.map((pod) => Object.fromEntries(names.map((name) => [name, pod[name]])))
    const other = Array.isArray(json) ? shown(json) : { pods: shown((json as { readonly pods: readonly Json[] }).pods) }
    return new Response(JSON.stringify(other), response)
  }
}

/** Creations answer some members of the pod. */
function creationAnswers(...names: readonly string[]): (fetch: Fetch) => Fetch {
  return (fetch) => async (request) => {
    const response = await fetch(request)
    if (response.status !== 201) return response
    const pod = (await response.json()) as Readonly<Record<string, unknown>>
    return new Response(JSON.stringify(Object.fromEntries(names.map((name) => [name, pod[name]]))), response)
  }
}

/** Hexadecimal digits that look like chance and differ for every n: an odd factor only permutes them. */
function hex(n: number, digits: number): string {
  const mixed = (BigInt(n + 1) * 0x9e3779b97f4a7c15n) % 2n ** BigInt(4 * Math.min(digits, 16))
  return mixed.toString(16).padStart(digits, '0')
}
