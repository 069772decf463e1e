import { operations } from '../../generated/operations.ts'
import { type Endpoint, Refusal } from '../../reference/index.ts'
import type { Target } from '../../target/types.ts'
import { isOwner } from '../defects/auth-tools.ts'
import { all, type Change, onResponse, part, refusing, requestOf, setsHeader } from '../defects/tools.ts'
import type { Fetch, Latitude } from '../types.ts'
import { latitude, reads, styled, timed, verdict } from './tools.ts'

export const management = (change: Partial<NonNullable<Target['management']>>) => (target: Target) => ({
  ...target,
  management: target.management === null ? null : { ...target.management, ...change },
})

/** Freedoms of endpoint management. */
export const endpoints: readonly Latitude[] = [
  styled('endpoint-created-201', 'The creation of an endpoint is answered 201.', { endpointCreated: 201 }),
  latitude('endpoint-created-204', 'The creation of an endpoint is answered 204, and the list alone shows its id.', {
    // Only its name tells which endpoint was created.
    about: ['endpoint management', 'the list', 'names of endpoints'],
    change: (options) => options,
    wrap: onResponse(
      (request, { ok }) => ok && requestOf('createEndpoint')(request),
      () => ({ status: 204, text: '' }),
    ),
    verdicts: { 'endpoints.echoes': 'advice' },
  }),
  styled('endpoint-deleted-200', 'The deletion of an endpoint is answered 200 with an empty object.', {
    endpointDeleted: 200,
  }),
  latitude('endpoint-list-object', 'The list of endpoints is a member of an object.', {
    style: { endpointList: 'object' },
    file: management({ listAt: 'endpoints' }),
  }),
  latitude('endpoint-nested', 'Responses that show one endpoint hold it in a member.', {
    about: 'endpoint management',
    change: (options) => options,
    wrap: onResponse(
      ({ url }, { ok }) => ok && new URL(url).pathname.startsWith('/v1/'),
      ({ text }) => ({ text: text.startsWith('{"id"') ? `{"data":${text}}` : text }),
    ),
    file: management({ endpointAt: 'data' }),
  }),
  latitude('endpoint-fields-least', 'Endpoints are shown with id and name alone.', {
    style: { endpointFields: 'least' },
    verdicts: {
      'endpoints.echoes': 'advice',
      // The list does not show workersMax, so workers cannot be counted.
      ...verdict('inconclusive', ['endpoints.quota', 'endpoints.quota-race', 'endpoints.quota-update']),
    },
  }),
  latitude('endpoint-ids-numbers', 'Ids of endpoints are numbers, of up to 64 bits.', {
    // The deployment tool of the reference reads numbers of 53 bits.
    planes: ['management', 'queue'],
    about: 'endpoint management',
    change: part('createEndpoint', (next, body, caller, service) =>
      next(body, caller, { ...service, endpointId: (n) => `${n % 2 > 0 ? 7_000 + n : 2n ** 60n + BigInt(n)}` }),
    ),
    wrap: onResponse(
      ({ url }, { ok }) => ok && new URL(url).pathname.startsWith('/v1/'),
      ({ text }) => ({ text: text.replaceAll(/"id":"(\d+)"/g, '"id":$1') }),
    ),
  }),
  styled(
    'endpoint-names-suffixed',
    'Names of endpoints are shown with a suffix.',
    { endpointNames: 'suffixed' },
    { about: 'names of endpoints' },
  ),
  styled('endpoint-errors-problem', 'Errors of endpoint management are problem documents.', {
    endpointErrors: 'problem',
  }),
  styled('endpoint-invalid-422', 'Bodies of endpoint management that are invalid are refused with 422.', {
    endpointInvalid: 422,
  }),
  ...([404, 422] as const).map((status) =>
    styled(`unknown-template-${status}`, `An unknown template is refused with ${status}.`, { unknownTemplate: status }),
  ),
  ...([403, 409, 422, 500] as const).map((status) =>
    styled(`workers-quota-${status}`, `Workers beyond the quota are refused with ${status}.`, { workersQuota: status }),
  ),
  latitude('idle-timeout-ms', 'The idleTimeout of an endpoint is in milliseconds.', {
    style: { idleUnit: 'milliseconds' },
    file: management({ idleUnit: 'ms' }),
  }),
  latitude('idle-workers-stay', 'Idle workers stay far longer than idleTimeout.', {
    change: idles(100),
    readings: reads('endpoints.idle-timeout', 'the same worker', ['after the idleTimeout']),
  }),
  latitude('idle-workers-leave-at-once', 'Idle workers are stopped before idleTimeout.', {
    change: idles(0.001),
    readings: reads('endpoints.idle-timeout', 'another worker', ['before the idleTimeout']),
  }),
  latitude('gpu-taken', 'The second GPU type is not available the first time that an endpoint asks for it.', {
    planes: ['management'],
    change(options) {
      let isTaken = true
      return part('allocateGpu', (next, ids) => {
        const left = isTaken ? ids.filter((id) => id !== 'gpu-b') : ids
        isTaken &&= left.length === ids.length
        return next(left)
      })(options)
    },
    verdicts: { 'endpoints.gpu-priority': 'inconclusive' },
  }),
  latitude('workers-freed-later', 'Workers of a deleted endpoint count for the quota for five seconds.', {
    change(options) {
      const freed: { readonly workers: number; readonly atMs: number }[] = []
      return all(
        part('removeEndpoint', (next, endpoint, service) => {
          next()
          freed.push({ workers: endpoint.workersMax, atMs: service.clock.now() + 5_000 })
        }),
        part('workersInUse', (next, _user, service) =>
          freed.reduce((sum, { workers, atMs }) => (service.clock.now() < atMs ? sum + workers : sum), next()),
        ),
      )(options)
    },
  }),
  latitude('endpoint-found-later', 'The first read of an endpoint is answered 404.', {
    about: 'endpoint management',
    wrap(fetch) {
      const reads = requestOf('getEndpoint')
      const seen = new Set<string>()
      return async (request) => {
        const isFirst = reads(request) && !seen.has(request.url)
        seen.add(reads(request) ? request.url : '')
        return isFirst ? Response.json({ error: 'endpoint not found', status: 404 }, { status: 404 }) : fetch(request)
      }
    },
  }),
  latitude('endpoint-changed-later', 'A change of an endpoint is visible one and a half seconds later.', {
    change(options) {
      const changed = new Map<string, { readonly shown: Endpoint; readonly untilMs: number }>()
      return all(
        part('changeEndpoint', (next, endpoint, _body, { clock }) => {
          const shown = { ...endpoint }
          next()
          changed.set(endpoint.id, { shown, untilMs: clock.now() + 1_500 })
        }),
        part('presentEndpoint', (next, endpoint, service) => {
          const before = changed.get(endpoint.id)
          return before !== undefined && service.clock.now() < before.untilMs ? next(before.shown) : next()
        }),
      )(options)
    },
  }),
  latitude('endpoint-fields-more', 'Endpoints are shown with more members, their status and workers among them.', {
    about: 'endpoint management',
    change: part('presentEndpoint', (next) => ({ ...next(), status: 'READY', version: 2, workers: [{ id: 'w-1' }] })),
  }),
  latitude('management-401-bare', 'Endpoint management answers 401 without a body.', {
    about: 'endpoint management',
    change: (options) => options,
    wrap: onResponse(
      ({ url }, { status }) => status === 401 && new URL(url).pathname.startsWith('/v1/'),
      () => ({ text: '' }),
    ),
  }),
  latitude('not-found-as-text', 'A route that does not exist is answered 404 with plain text.', {
    planes: ['queue', 'management'],
    about: ['endpoint management', 'unknown endpoints', 'other methods'],
    wrap: setsHeader(
      ({ url }, { status }) =>
        status === 404 && /^\/v[12]\/(?!pods\/).*\/plumbline(\/a\/b)?$/.test(new URL(url).pathname),
      'content-type',
      'text/plain',
      { text: 'no such route' },
    ),
  }),
  latitude('not-found-bare', 'A request for something that does not exist is answered 404 or 405 without a body.', {
    planes: ['queue', 'management'],
    about: ['endpoint management', 'unknown endpoints', 'other methods'],
    wrap: onResponse(
      ({ url }, { status }) =>
        (status === 404 || status === 405) && /^\/(v1\/|v2\/(?!pods))/.test(new URL(url).pathname),
      () => ({ text: '' }),
    ),
  }),
  latitude('management-gateway-hiccups', 'A gateway answers each tenth request of endpoint management with 503.', {
    about: 'endpoint management',
    change: (options) => options,
    wrap(fetch) {
      let requests = 0
      return async (request) =>
        new URL(request.url).pathname.startsWith('/v1/') && ++requests % 10 === 0
          ? new Response('busy', { status: 503 })
          : fetch(request)
    },
  }),
  ...([401, 404] as const).map((status) =>
    latitude(`forbidden-${status}`, `A key without the permission for a plane other than pods is answered ${status}.`, {
      about: 'permissions',
      planes: ['management', 'lb', 'queue'],
      change: part('authorize', (next, _caller, operation) => {
        try {
          next()
        } catch (error) {
          throw operations[operation].plane === 'pods' ? error : new Refusal(status, 'access denied')
        }
      }),
    }),
  ),
  latitude('endpoint-busy-409', 'The deletion of an endpoint that executes a job is refused with 409.', {
    planes: ['management'],
    change: refusing('removeEndpoint', ({ counts }) => counts.inProgress > 0 && [409, 'the endpoint executes a job']),
  }),
  latitude(
    'deleted-endpoint-shows-jobs',
    'The jobs of a deleted endpoint are shown for as long as results are retained.',
    {
      about: 'unknown endpoints',
      change: (options) => options,
      wrap: showsJobsOfDeleted,
    },
  ),
  latitude('endpoint-deleted-twice-204', 'DELETE of an endpoint that does not exist is answered 204.', {
    about: 'endpoint management',
    change: (options) => options,
    wrap: onResponse(
      (request, { status }) => requestOf('deleteEndpoint')(request) && isOwner(request) && status === 404,
      () => ({ status: 204, text: '' }),
    ),
    verdicts: { 'endpoints.unknown': 'advice' },
  }),
  timed(
    'endpoint-listed-later',
    'A new endpoint is listed five seconds after its creation.',
    { listLagMs: 5_000 },
    { about: 'the list' },
  ),
  timed(
    'endpoint-reachable-later',
    'A new endpoint is reachable five seconds after its creation.',
    { endpointReachableMs: 5_000 },
    { about: 'unknown endpoints' },
  ),
]

/** Workers idle so many times as long as the body of their endpoint says. */
function idles(times: number): Change {
  return all(
    part('settleEndpoint', (next) => {
      const { idleTimeoutMs, ...settled } = next()
      return idleTimeoutMs === undefined ? settled : { ...settled, idleTimeoutMs: idleTimeoutMs * times }
    }),
    part('presentEndpoint', (next) => {
      const { idleTimeout, ...shown } = next()
      return idleTimeout === undefined ? shown : { ...shown, idleTimeout: Number(idleTimeout) / times }
    }),
  )
}

/** /status shows the jobs that were submitted to an endpoint after it was deleted, too. */
function showsJobsOfDeleted(fetch: Fetch): Fetch {
  const submitted = new Map<string, unknown>()
  return async (request) => {
    const { pathname } = new URL(request.url)
    const response = await fetch(request)
    const text = await response.clone().text()
    if (pathname.endsWith('/run') && response.ok) {
      const job = JSON.parse(text)
      submitted.set(pathname.replace(/run$/, `status/${job.id}`), { ...job, status: 'COMPLETED', output: null })
    }
    const isGone = response.status === 404 && text.includes('endpoint not found') && isOwner(request)
    return isGone && submitted.has(pathname) ? Response.json(submitted.get(pathname)) : response
  }
}
