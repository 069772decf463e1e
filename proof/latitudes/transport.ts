import { gzipSync } from 'node:zlib'
import type { Fetch, Latitude } from '../types.ts'
import { besidesLb, latitude } from './tools.ts'

/** How a response travels: HTTP leaves it to the server. */
export const transport = [
  latitude('bodies-chunked', 'Bodies come in small pieces, without a content length.', {
    about: 'bodies',
    wrap: answered(async (response) => {
      const bytes = new Uint8Array(await response.arrayBuffer())
      const pieces = Array.from({ length: Math.ceil(bytes.length / 97) }, (_, at) => bytes.slice(at * 97, at * 97 + 97))
      return bytes.length === 0 ? [null, response.headers] : [ReadableStream.from(pieces), response.headers]
    }),
  }),
  latitude('connection-close', 'The connection is closed after every response.', {
    about: 'headers',
    wrap: answered(async (response) => [response.body, [...response.headers, ['connection', 'close']]]),
  }),
  latitude('headers-more', 'A gateway adds headers of its own.', {
    about: 'headers',
    wrap: answered(async (response) => [
      response.body,
      [
        ['server', 'gateway'],
        ['date', 'Thu, 01 Jan 2026 00:00:00 GMT'],
        ['cache-control', 'no-store'],
        ['etag', 'W/"1"'],
        ['set-cookie', 'a=b; Path=/'],
        ['set-cookie', 'c=d; Path=/'],
        ['x-request-id', 'r-1'],
        ...response.headers,
      ],
    ]),
  }),
  latitude('no-content-has-a-type', 'A 204 carries a content type although it has no body.', {
    about: 'headers',
    wrap: answered(async (response) => [
      response.body,
      response.status === 204 ? [...response.headers, ['content-type', 'application/json']] : response.headers,
    ]),
  }),
  latitude('headers-reversed', 'Headers come in another order.', {
    about: 'headers',
    wrap: answered(async (response) => [response.body, [...response.headers].reverse()]),
  }),
  latitude('rate-header-lines', 'Each window has a header line of its own.', {
    about: 'rate headers',
    wrap: answered(async (response) => [
      response.body,
      [...response.headers].flatMap(([name, value]): [string, string][] =>
        name.startsWith('ratelimit') ? value.split(', ').map((window) => [name, window]) : [[name, value]],
      ),
    ]),
  }),
  latitude('body-with-newline', 'JSON bodies begin and end with white space.', {
    about: 'bodies',
    wrap: besidesLb(
      answered(async (response) => {
        const text = await response.text()
        return [text === '' ? null : `\n ${text}\r\n`, response.headers]
      }),
    ),
  }),
  latitude('body-escaped', 'JSON texts are written with escapes, slashes and the first signs of ids too.', {
    about: 'bodies',
    wrap: besidesLb(
      answered(async (response) => {
        const text = await response.text()
        const shown = text.replaceAll('/', '\\/').replace(/(?<="id":")[^"\\]/g, escaped)
        return [text === '' ? null : shown, response.headers]
      }),
    ),
  }),
  latitude('bodies-pretty', 'JSON is written with white space and escapes, by workers too.', {
    about: 'bodies',
    wrap: (fetch) => async (request) => {
      const response = await fetch(request)
      const type = response.headers.get('content-type') ?? ''
      // These bytes are what a rule sent, which the worker gives back as they are.
      if (!/json/i.test(type) || request.url.includes('/plumbline/return/')) return response
      const text = await response.text()
      return new Response(text === '' ? null : pretty(text), response)
    },
  }),
  latitude('answers-gzip', 'Bodies are compressed unless the request asks for them as they are.', {
    about: 'bodies',
    wrap: (fetch) => async (request) => {
      const response = await fetch(request)
      const accepted = request.headers.get('accept-encoding')
      if (response.body === null || (accepted !== null && !/gzip|\*/.test(accepted))) return response
      const bytes = gzipSync(await response.arrayBuffer())
      const headers: [string, string][] = [...response.headers, ['content-encoding', 'gzip']]
      return new Response(bytes, { status: response.status, headers })
    },
  }),
  latitude('answers-late', 'Answers take a while, and overtake each other.', {
    about: 'order',
    wrap: (fetch) => {
      let answers = 0
      return async (request) => {
        const response = await fetch(request)
        // Time may move while the reference holds a response: a late one would come after whatever is due next.
        const turns = isHeld(request) ? 0 : (++answers * 7) % 5
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
        return response
      }
    },
  }),
] as const satisfies readonly Latitude[]

/** True for an operation whose response a target may hold. */
function isHeld({ url }: Request): boolean {
  return /^\/v2\/[^/]+\/(runsync|stream|openai)\b/.test(new URL(url).pathname)
}

/** A sign as JSON may write it. */
export function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** The same JSON value, written in another way. */
function pretty(json: string): string {
  const text = JSON.stringify(JSON.parse(json), null, 2)
  return `\r\n\t ${text.replace(/[\u0080-\uffff]/g, escaped).replaceAll('/', '\\/')} \n`
}

type Body = ConstructorParameters<typeof Response>[0]

/** A wrapper that writes a response anew, its status kept. */
function answered(
  rewrite: (response: Response) => Promise<readonly [body: Body, headers: Headers | readonly (readonly string[])[]]>,
): (fetch: Fetch) => Fetch {
  return (fetch) => async (request) => {
    const response = await fetch(request)
    const [body, headers] = await rewrite(response)
    return new Response(body ?? null, {
      status: response.status,
      headers: [...headers].map(([a, b]) => [`${a}`, `${b}`]),
    })
  }
}
