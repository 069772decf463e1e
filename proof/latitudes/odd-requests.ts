import { onResponse, type Wrap } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { besidesLb } from './tools.ts'

interface Wrapping {
  readonly wrap: Wrap
}

/** How servers and gateways answer requests that no client sends on purpose. */
export const oddRequests: readonly Latitude[] = [
  odd('trailing-slash-served', 'A trailing slash is passed over.', {
    wrap: at((path) => path.replace(/\/+$/, '') || '/'),
    readings: everywhere('trailing-slash', 'served'),
  }),
  odd('doubled-slash-merged', 'Doubled slashes count as one.', {
    wrap: at((path) => path.replaceAll(/\/{2,}/g, '/')),
    readings: everywhere('doubled-slash', 'served'),
  }),
  odd('doubled-slash-308', 'A doubled slash is redirected.', {
    wrap: (fetch) => async (request) => {
      const { pathname } = new URL(request.url)
      if (!pathname.includes('//')) return fetch(request)
      return new Response(null, { status: 308, headers: { location: pathname.replaceAll(/\/{2,}/g, '/') } })
    },
    readings: everywhere('doubled-slash', 'redirected'),
  }),
  odd('encoded-slash-400', 'An encoded slash is refused.', {
    wrap: refusing(({ url }) => /%2F/i.test(new URL(url).pathname)),
  }),
  odd('head-405', 'HEAD is 405.', {
    wrap: answering('HEAD', { status: 405, headers: { allow: 'GET' } }),
  }),
  odd('head-404', 'HEAD is 404.', { wrap: answering('HEAD', { status: 404 }) }),
  odd('options-cors', 'OPTIONS is answered for pages of other origins, without a key.', {
    wrap: answering('OPTIONS', { status: 204, headers: { 'access-control-allow-origin': '*' } }),
    readings: everywhere('options', 'served'),
  }),
  odd('get-body-400', 'A GET with a body is refused.', {
    wrap: refusing(hasBody('GET')),
    readings: everywhere('get-body', 'refused'),
  }),
  odd('delete-body-400', 'A DELETE with a body is refused.', {
    wrap: refusing(hasBody('DELETE')),
    readings: {
      'pods.odd-requests': { 'delete-body': 'refused' },
      'endpoints.odd-requests': { 'delete-body': 'refused' },
    },
  }),
  odd('method-404', 'Another method on a path of the pod API is 404.', {
    planes: ['pods'],
    wrap: onResponse(
      ({ url }, { status }) => status === 405 && /^\/v2\/(?:pods|catalog)\b/.test(new URL(url).pathname),
      ({ text }) => ({ status: 404, text: text.replace('405', '404') }),
    ),
    readings: { 'pods.odd-requests': { method: '404' } },
  }),
]

function odd(id: string, says: string, { wrap, ...more }: Omit<Latitude, 'id' | 'says' | 'wrap'> & Wrapping): Latitude {
  return {
    id,
    says,
    about: id.replace(/-\w+$/, ''),
    planes: ['pods', 'queue', 'management'],
    wrap: besidesLb(wrap),
    ...more,
  }
}

/** A reading of every plane that differs. */
function everywhere(reading: string, value: string): NonNullable<Latitude['readings']> {
  return {
    'pods.odd-requests': { [reading]: value },
    'queue.odd-requests': { [reading]: value },
    'endpoints.odd-requests': { [reading]: value },
  }
}

function answering(method: string, init: ResponseInit): Wrap {
  return (fetch) => async (request) => (request.method === method ? new Response(null, init) : fetch(request))
}

function hasBody(method: string): (request: Request) => boolean {
  return (request) => request.method === method && request.headers.has('content-type')
}

/** Requests that come with a key are refused as malformed. */
function refusing(isMeant: (request: Request) => boolean): Wrap {
  return (fetch) => async (request) => {
    if (!isMeant(request) || !request.headers.has('authorization')) return fetch(request)
    const body = JSON.stringify({ title: 'Bad Request', status: 400, detail: 'malformed', error: 'malformed' })
    return new Response(body, { status: 400, headers: { 'content-type': 'application/problem+json' } })
  }
}

/** Requests are served at another path. */
function at(change: (pathname: string) => string): Wrap {
  return (fetch) => (request) => {
    const { origin, pathname, search } = new URL(request.url)
    const path = change(pathname)
    if (path === pathname) return fetch(request)
    const { method, headers, signal } = request
    const isBodiless = request.body === null || method === 'GET' || method === 'HEAD'
    const body = isBodiless ? {} : ({ body: request.body, duplex: 'half' } as const)
    return fetch(new Request(origin + path + search, { method, headers, signal, ...body }))
  }
}
