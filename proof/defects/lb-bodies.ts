import { wait } from '../../reference/clock/wait.ts'
import { Refusal } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { isAt, type Picks, passes, passesOn, returns, route, withStatus, withType } from './lb-tools.ts'
import { type Change, defect, part } from './tools.ts'

const isEcho = route('echo')
const isEchoed = isAt('echo')
const text = new TextDecoder()
const bytesOf = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const isJson: Picks = ({ headers }) => headers.get('content-type') === 'application/json'

/** Bodies on their way to the workers of load-balanced endpoints, and responses on their way back. */
export const lbBodies: readonly Defect[] = [
  defect('body-wrapped-in-input', 'lb.direct-json', 'object', {
    says: 'A JSON body reaches the worker in an input wrapper, as on queue-based endpoints.',
    observed: '{"input":{"prompt":"grüße €𝄞","numbers":[1,2.5,-1e-7],"nested":{"empty":[],"none":null}}}',
    change: passes(isJson, ({ body }) => ({ body: body && bytesOf({ input: JSON.parse(text.decode(body)) }) })),
  }),
  defect('body-input-unwrapped', 'lb.direct-json', 'object', {
    says: 'Of a JSON body with a member input, only that reaches the worker.',
    observed: '{"prompt":"a member that is called input"}',
    change: passes(isJson, ({ body }) => ({
      body: body && bytesOf(JSON.parse(text.decode(body)).input ?? text.decode(body)),
    })),
  }),
  defect('body-input-alone-unwrapped', 'lb.direct-json', 'object', {
    says: 'Of a JSON body whose only member is input, only its value reaches the worker.',
    observed: '{"prompt":"the only member"}',
    change: passes(isJson, ({ body }) => ({
      body: body && bytesOf(text.decode(body).replace(/^\{"input":(\{[^}]*\})\}$/, '$1')),
    })),
  }),
  defect('body-bytes-as-text', 'lb.direct-json', 'bytes', {
    says: 'Bodies pass through a text, so that bytes that are no UTF-8 are replaced.',
    observed: '2048 other bytes',
    change: passes(isEcho, ({ body }) => ({ body: body && bytesOf(text.decode(body)) })),
  }),
  defect('body-invalid', 'lb.direct-json', 'object', {
    says: 'The last byte of a JSON body is lost, so that it is not JSON any more.',
    observed: '{"prompt":"grüße €𝄞","numbers":[1,2.5,-1e-7],"nested":{"empty":[],"none":null}',
    change: passes(isJson, ({ body }) => ({ body: body?.slice(0, -1) ?? null })),
  }),
  defect('body-numbers-as-floats', 'lb.direct-json', 'numbers', {
    says: 'A JSON body is parsed and written again, which rounds large integers.',
    observed: '"{\\"seed\\":9007199254740992,\\"none\\":null}"',
    change: passes(isJson, ({ body }) => ({ body: body && bytesOf(JSON.parse(text.decode(body))) })),
  }),
  defect('body-nulls-dropped', 'lb.direct-json', 'numbers', {
    says: 'Members of a flat JSON body that are null do not reach the worker.',
    observed: '"{\\"seed\\":9007199254740993}"',
    change: passes(isJson, ({ body }) => ({
      body: body && bytesOf(text.decode(body).replace(/^(\{"seed":\d+).*/, '$1}')),
    })),
  }),
  defect('body-empty-object-lost', 'lb.direct-json', 'object', {
    says: 'An empty JSON object does not reach the worker.',
    observed: 'no JSON',
    change: passes(isJson, ({ body }) => ({ body: body && text.decode(body) === '{}' ? null : body })),
  }),
  defect('body-empty-list-dropped', 'lb.direct-json', 'object', {
    says: 'Members of a JSON body that are empty lists do not reach the worker.',
    observed: '{"object":{},"text":"","zero":0,"no":false,"none":null,"number":7,"digits":"7"}',
    change: passes(isJson, ({ body }) => ({
      body: body && bytesOf(text.decode(body).replace(/^\{"list":\[\],/, '{')),
    })),
  }),
  defect('body-of-patch-numbers-as-text', 'lb.direct-json', 'object', {
    says: 'Numbers in the JSON body of PATCH reach the worker as text.',
    observed: '{"list":[],"object":{},"text":"","zero":0,"no":false,"none":null,"number":"7","digits":"7"}',
    variation: { sample: 'PATCH' },
    change: passes(
      (request) => request.method === 'PATCH' && isJson(request),
      ({ body }) => ({ body: body && bytesOf(text.decode(body).replace('"number":7', '"number":"7"')) }),
    ),
  }),
  defect('body-form-to-json', 'lb.direct-json', 'form', {
    says: 'A form reaches the worker as JSON.',
    observed: '18 other bytes',
    change: passes(
      ({ headers }) => headers.get('content-type') === 'application/x-www-form-urlencoded',
      ({ body }) => ({ body: body && bytesOf(Object.fromEntries(new URLSearchParams(text.decode(body)))) }),
    ),
  }),
  defect('body-line-ends-changed', 'lb.direct-json', 'text', {
    says: 'The line ends of a text are changed on the way.',
    observed: '16 other bytes',
    change: passes(
      ({ headers }) => headers.get('content-type')?.startsWith('text/plain') === true,
      ({ body }) => ({ body: body?.filter((byte) => byte !== 0x0d) ?? null }),
    ),
  }),
  defect('body-empty-becomes-object', 'lb.direct-json', 'empty', {
    says: 'A POST without a body reaches the worker with an empty object.',
    observed: '2 other bytes',
    change: passes(
      ({ method }) => method === 'POST',
      ({ body }) => ({ body: body?.length === 0 ? bytesOf({}) : body }),
    ),
  }),
  defect('body-in-chunks-lost', 'lb.direct-json', 'chunked', {
    says: 'A body that is sent in chunks, without its length, does not reach the worker.',
    observed: '""',
    change: part('toWorker', async (next, request) => {
      const { headers, method, url } = await next()
      return request.headers.has('transfer-encoding') ? new Request(url, { headers, method }) : next()
    }),
  }),
  defect('body-large-cut', 'lb.direct-json', 'large', {
    says: 'Of a body of more than a million bytes the rest is lost.',
    observed: '1000000 bytes, not as sent',
    change: passes(isEcho, ({ body }) => ({ body: body?.slice(0, 1_000_000) ?? null })),
  }),
  defect('body-large-500', 'lb.direct-json', 'large', {
    says: 'A body of more than a million bytes is answered 500.',
    observed: 'status 500',
    change: part('toWorker', async (next) => {
      const passed = await next()
      const body = await passed.clone().arrayBuffer()
      if (body.byteLength > 1_000_000) throw new Refusal(500, 'out of memory')
      return passed
    }),
  }),
  defect('worker-errors-become-500', 'lb.direct-response', 'status', {
    says: 'Every error of a worker is answered 500.',
    observed: 'status 500: {"error":"mine","detail":"from the worker"}',
    change: returns(
      (_, { status }) => status >= 400,
      (response) => withStatus(response, 500),
    ),
  }),
  defect('worker-401-replaced', 'lb.direct-response', 'body', {
    says: 'A 401 of a worker is answered with the body of the platform.',
    observed: '"{\\"error\\":\\"unauthorized\\",\\"detail\\":\\"no key\\"}"',
    change: returns(isAt('return/401'), () =>
      Response.json({ error: 'unauthorized', detail: 'no key' }, { status: 401 }),
    ),
  }),
  defect('worker-success-becomes-200', 'lb.direct-response', 'status', {
    says: 'Every success of a worker is answered 200.',
    observed: 'status 200',
    change: returns(
      (_, { status }) => status < 300,
      (response) => withStatus(response, 200),
    ),
  }),
  defect('response-wrapped-in-job', 'lb.direct-response', 'body', {
    says: 'The JSON of a worker is answered as the output of a job.',
    observed:
      '"{\\"id\\":\\"j1\\",\\"status\\":\\"COMPLETED\\",\\"output\\":{\\"status\\":\\"COMPLETED\\",\\"output\\":[1]}}"',
    change: returns(isAt('return/200'), async (response) =>
      Response.json({ id: 'j1', status: 'COMPLETED', output: await response.json() }),
    ),
  }),
  defect('response-type-without-charset', 'lb.direct-response', 'type', {
    says: 'The content type of a response loses its character set.',
    observed: 'text/html',
    change: returns(isAt('return/418'), (response) => withType(response, 'text/html')),
  }),
  defect('response-empty-becomes-204', 'lb.direct-response', 'status', {
    says: 'A 200 of a worker without a body is answered 204.',
    observed: 'status 204',
    change: returns(isAt('return/200'), async (response) => {
      const bytes = await response.arrayBuffer()
      return bytes.byteLength === 0 ? new Response(null, { status: 204 }) : new Response(bytes, response)
    }),
  }),
  defect('responses-wrapped-in-jobs', 'lb.direct-response', 'body', {
    says: 'All JSON of workers is answered as the output of a job.',
    observed: 'something around it',
    change: returns(isEchoed, async (response) => Response.json({ id: 'j1', output: await response.json() })),
  }),
  defect('response-parts-cut', 'lb.direct-response', 'parts', {
    says: 'The connection is closed in the middle of a response that is sent in parts.',
    observed: 'no complete response',
    change: returns(isAt('parts/1000'), () => {
      throw new Error('the connection is closed')
    }),
  }),
  defect('response-type-json', 'lb.direct-response', 'type', {
    says: 'Every response has the content type application/json.',
    observed: 'application/json',
    change: returns(isAt('return/201'), (response) => withType(response, 'application/json')),
  }),
  defect('response-type-json-of-200', 'lb.direct-response', 'type', {
    says: 'A response with status 200 has the content type application/json.',
    observed: 'application/json',
    change: returns(isAt('return/200'), (response) => withType(response, 'application/json')),
  }),
  defect('worker-redirect-followed', 'lb.direct-response', 'status', {
    says: 'A redirect of a worker is answered 200.',
    observed: 'status 200',
    change: returns(isAt('return/302'), (response) => withStatus(response, 200)),
  }),
  defect('worker-errors-above-500-become-500', 'lb.direct-response', 'status', {
    says: 'Errors of a worker above 500 are answered 500.',
    observed: 'status 500: "not yet"',
    change: returns(
      (_, { status }) => status > 500,
      (response) => withStatus(response, 500),
    ),
  }),
  defect('worker-403-replaced', 'lb.direct-response', 'body', {
    says: 'A 403 of a worker has the body of the platform.',
    observed: '"{\\"error\\":\\"forbidden\\",\\"detail\\":\\"no access\\"}"',
    change: returns(isAt('return/403'), () =>
      Response.json({ error: 'forbidden', detail: 'no access' }, { status: 403 }),
    ),
  }),
  defect('response-json-rewritten', 'lb.direct-response', 'body', {
    says: 'The JSON of a worker is parsed and written again.',
    observed: '"{\\"b\\":9007199254740992,\\"a\\":null}"',
    change: returns(isAt('return/203'), async (response) => Response.json(await response.json(), { status: 203 })),
  }),
  ...(['GET', 'POST'] as const).map((method) =>
    defect(`${method.toLowerCase()}-responses-cached`, 'lb.direct-response', 'fresh', {
      says: `The response to a ${method} is given again to the same ${method} within five seconds.`,
      observed: 'the response to an earlier one',
      change: caches(method),
    }),
  ),
  defect('concurrent-gets-joined', 'lb.direct-response', 'own', {
    says: 'A GET that arrives while the same GET is under way gets the response of that.',
    observed: 'that to another',
    change: (base) => {
      const underWay = new Map<string, Promise<Response>>()
      return passesOn(async (pass, request, _, service) => {
        const first = underWay.get(request.url)
        if (first !== undefined) return (await first).clone()
        if (request.method !== 'GET') return pass(request)
        // Over HTTP the others arrive only now.
        const response = wait(1, service).then(() => pass(request))
        underWay.set(request.url, response)
        return (await response.finally(() => underWay.delete(request.url))).clone()
      })(base)
    },
  }),
  defect('worker-410-becomes-404', 'lb.direct-response', 'status', {
    says: 'A 410 of the worker is answered 404.',
    observed: 'status 404: {"status":410}',
    change: returns(isAt('return/410'), (response) => withStatus(response, 404)),
  }),
  defect('worker-226-becomes-200', 'lb.direct-response', 'status', {
    says: 'A success of the worker above 206 is answered 200.',
    observed: 'status 200',
    change: returns(isAt('return/226'), (response) => withStatus(response, 200)),
  }),
  defect('response-of-megabytes-cut', 'lb.direct-response', 'large', {
    says: 'Of a response of more than four mebibytes the rest is lost.',
    observed: '4194304 bytes, not as given',
    change: returns(isAt('return/200'), async (response) => {
      const bytes = await response.arrayBuffer()
      return new Response(bytes.slice(0, 4_194_304), response)
    }),
  }),
  defect('response-large-cut', 'lb.direct-response', 'large', {
    says: 'Of a response of more than a mebibyte the rest is lost.',
    observed: '1048576 bytes, not as given',
    change: returns(isAt('return/200'), async (response) => {
      const bytes = await response.arrayBuffer()
      return new Response(bytes.slice(0, 1_048_576), response)
    }),
  }),
  defect('error-large-cut', 'lb.direct-response', 'large', {
    says: 'Of an error of a worker only the first 1024 bytes are passed on.',
    observed: '1024 bytes, not as given',
    change: returns(
      (_, { status }) => status >= 400,
      async (response) => new Response((await response.arrayBuffer()).slice(0, 1_024), response),
    ),
  }),
  defect('response-parts-lost', 'lb.direct-response', 'parts', {
    says: 'Of a response that is sent in parts only the first one is passed on.',
    observed: '1 part',
    change: returns(
      isAt('parts/1000'),
      async (response) => new Response((await response.body?.getReader().read())?.value ?? null, response),
    ),
  }),
]

/** Responses to a method are kept for five seconds. */
function caches(method: string): Change {
  return (base) => {
    const cached = new Map<string, { readonly atMs: number; readonly response: Response }>()
    return passesOn(async (pass, request, endpoint, { clock }) => {
      if (request.method !== method || !isEchoed(request)) return pass(request)
      const key = `${endpoint.id} ${request.url}`
      const known = cached.get(key)
      if (known !== undefined && clock.now() < known.atMs + 5_000) return known.response.clone()
      const response = await pass(request)
      cached.set(key, { atMs: clock.now(), response: response.clone() })
      return response
    })(base)
  }
}
