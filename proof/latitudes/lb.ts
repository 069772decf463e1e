import { jsonIn } from '../../harness/exchange/exchange.ts'
import { type Addresses, byHost, byPort, defaultBalanced, Refusal } from '../../reference/index.ts'
import { composeOptions } from '../../reference/options.ts'
import type { Style } from '../../reference/style.ts'
import type { LbPlane, Target } from '../../target/types.ts'
import { isAt, isOfWorker, passesOn } from '../defects/lb-tools.ts'
import type { Latitude } from '../types.ts'
import { isOfLb, latitude, type More, optioned, reads, styled, timed } from './tools.ts'

export const lb = (change: Partial<LbPlane>) => (target: Target) => ({
  ...target,
  lb: target.lb === null ? null : { ...target.lb, ...change },
})

/** A port for each endpoint, and one that leads to none. */
const ports = new Map([
  ['normal', 18_001],
  ['second', 18_002],
  ['unknown', 18_003],
])

/** Freedoms of load-balanced endpoints. */
export const lbLatitudes: readonly Latitude[] = [
  addressed('lb-address-host', 'Each load-balanced endpoint has its own host.', byHost),
  addressed('lb-address-port', 'Each load-balanced endpoint has its own port.', byPort(ports), {
    // No port is known for an endpoint that the tool creates.
    verdicts: { 'deploy.lb-many-routes': 'inconclusive' },
  }),
  timed('lb-start-slow', 'The first worker of an endpoint takes eight seconds to start.', { balancedStartMs: 8_000 }),
  timed('lb-ping-seldom', 'Workers that are not ready are pinged every three seconds.', { pingMs: 3_000 }),
  ...([503, 500] as const).map((status) =>
    refusing(`lb-no-worker-${status}`, `Requests are answered ${status} until a worker is ready.`, {
      noWorker: status,
    }),
  ),
  ...([502, 503] as const).map((status) =>
    styled(
      `lb-crash-${status}`,
      `A worker that dies during a request is answered ${status}.`,
      { workerDied: status },
      { verdicts: { 'lb.crash-500': 'advice' } },
    ),
  ),
  latitude('lb-head-by-platform', 'The platform answers HEAD itself.', {
    style: { balancedHead: 'platform' },
    readings: reads('lb.methods', 'the platform', ['HEAD']),
  }),
  latitude('lb-options-by-platform', 'The platform answers OPTIONS itself.', {
    style: { balancedOptions: 'platform' },
    readings: reads('lb.methods', 'the platform', ['OPTIONS']),
  }),
  styled('lb-headers-added', 'The platform adds headers to requests and responses.', { balancedHeaders: 'added' }),
  styled('lb-key-removed', 'The worker does not get the header Authorization.', { balancedKey: 'removed' }),
  latitude('lb-large-413', 'A body of more than a million bytes is refused with 413.', {
    style: { balancedOversize: 413 },
    readings: reads('lb.direct-json', 'refused', ['large body']),
  }),
  latitude('lb-preflight', 'The platform answers OPTIONS without a key itself.', {
    about: 'load-balanced endpoints',
    wrap: (fetch) => async (request) =>
      isOfLb(request) && request.method === 'OPTIONS' && !request.headers.has('authorization')
        ? new Response(null, { status: 204 })
        : fetch(request),
  }),
  ...([415, 400] as const).map((status) =>
    latitude(`lb-json-only-${status}`, `A body that is not JSON is refused with ${status}.`, {
      change: passesOn(async (pass, request) => {
        const text = await request.clone().text()
        const isJson = request.headers.get('content-type')?.startsWith('application/json') && jsonIn(text) !== undefined
        if (text !== '' && !isJson) throw new Refusal(status, 'the body is not JSON')
        return pass(request)
      }),
      readings: reads('lb.direct-json', 'refused', ['large body']),
    }),
  ),
  styled('lb-path-normalized', 'Characters that need no encoding are decoded in paths.', {
    balancedPath: 'normalized',
  }),
  styled('lb-stranger-403', "Another account's load-balanced endpoint is answered 403.", { endpointHidden: 403 }),
  styled('lb-errors-more', 'Errors of load-balanced endpoints have more members.', { extraFields: true }),
  styled(
    'lb-errors-other-words',
    'Errors of load-balanced endpoints have other words.',
    { texts: 'other' },
    { about: 'words of errors' },
  ),
  latitude('lb-encoded-delimiters-refused', 'A path with an encoded slash, percent sign, # or ? is refused with 404.', {
    change: passesOn(async (pass, request) => {
      if (/%(2f|25|23|3f)/i.test(new URL(request.url).pathname)) throw new Refusal(404, 'encoded delimiter')
      return pass(request)
    }),
  }),
  latitude(
    'lb-gateway-hiccups',
    'A gateway answers one in ten requests to load-balanced endpoints with 503, and none twice in a row.',
    {
      about: 'load-balanced endpoints',
      wrap(fetch) {
        let random = 1
        const refused = new Set<string>()
        return async (request) => {
          if (!isOfLb(request)) return fetch(request)
          random = (random * 48_271) % 2_147_483_647
          // Otherwise it may refuse all retries of a request, whose rule is then inconclusive.
          const key = `${request.method} ${request.url}`
          if (refused.delete(key) || random % 10 > 0) return fetch(request)
          refused.add(key)
          return new Response('busy', { status: 503 })
        }
      },
    },
  ),
  latitude('lb-peer-429', 'Every other call of a worker to another endpoint is answered 429, the first one too.', {
    about: 'load-balanced endpoints',
    wrap(fetch) {
      let calls = 0
      const error = { error: 'rate limit exceeded', detail: 'try again later' }
      return async (request) =>
        isOfWorker(request) && ++calls % 2 > 0 ? Response.json(error, { status: 429 }) : fetch(request)
    },
  }),
  ...([429, 503] as const).map((status) =>
    latitude(`lb-full-${status}`, `Workers serve two held requests at once, and others are refused with ${status}.`, {
      change: (base) => {
        let held = 0
        return passesOn(async (pass, request) => {
          if (!request.url.includes('/hold/')) return pass(request)
          if (held >= 2) throw new Refusal(status, 'no worker is free')
          held++
          return pass(request).finally(() => held--)
        })(base)
      },
    }),
  ),
  latitude(
    'lb-worker-death-noticed-late',
    'Each second request goes to a worker that died five seconds ago at most: 500.',
    {
      about: 'load-balanced endpoints',
      change: (base) => {
        let [until, turn] = [0, 0]
        return passesOn(async (pass, request, { id }, { clock }) => {
          if (id === 'normal' && clock.now() < until && turn++ % 2 === 1) throw new Refusal(500, 'the worker died')
          if (isAt('exit')(request)) until = clock.now() + 5_000
          return pass(request)
        })(base)
      },
    },
  ),
  optioned('lb-two-workers', 'Two workers of an endpoint take turns.', {
    balanced: defaultBalanced.map((offer) => ({ ...offer, workers: 2 })),
  }),
]

function addressed(id: string, says: string, addresses: Addresses, more: More = {}): Latitude {
  const file = (target: Target) => {
    const base = target.lb === null ? '' : new URL(target.lb.url).origin
    const endpoints = ['normal', 'second', 'unknown'].map((role) => [role, addresses.write(base, role)] as const)
    const { normal = '', second = '', unknown = '' } = Object.fromEntries(endpoints)
    return lb({ url: normal, endpoints: { normal, second, unknown } })(target)
  }
  return optioned(id, says, { addresses }, { file, about: 'addresses of load-balanced endpoints', ...more })
}

function refusing(id: string, says: string, style: Partial<Style>): Latitude {
  return { id, says, change: (options) => composeOptions(options, { style, life: { balancedStartMs: 3_000 } }) }
}
