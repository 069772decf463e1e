import { type OperationFacts, type OperationId, operations } from '../../generated/operations.ts'
import type { RuleId } from '../../generated/rules.ts'
import { tables as generatedTables, type Tables } from '../../generated/tables.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { ReferenceClock } from '../../reference/clock/types.ts'
import { type ToolOptions, type ToolParts, ToolRefusal, type Wrappers } from '../../reference/deploy/index.ts'
import { type Parts, type PartWrappers, type PodService, Refusal, type StoredPod } from '../../reference/index.ts'
import { composeOptions, type ReferenceOptions } from '../../reference/options.ts'
import type { Defect, Fetch, Variant } from '../types.ts'

export type Json = Readonly<Record<string, unknown>>

export type Change = NonNullable<Variant['change']>

export type Wrap = NonNullable<Variant['wrap']>

/** A defect of one clause of a rule. */
export function defect(id: string, rule: RuleId, clause: string, more: Omit<Defect, 'id' | 'rule' | 'clause'>): Defect {
  return { id, rule, clause, ...more }
}

/** Further options laid over those of the reference. */
export function options(changed: Partial<ReferenceOptions>): Change {
  return (base) => composeOptions(base, changed)
}

/** Other tables; those of an earlier change are kept. */
export function tabled(change: (tables: Tables) => Tables): Change {
  return (base) => composeOptions(base, { tables: change(base.tables ?? generatedTables) })
}

/** Functions of the reference replaced one by one. */
export function parts(...wrappers: readonly PartWrappers[]): Change {
  return options({ parts: wrappers })
}

/** Several changes, in this order. */
export function all(...changes: readonly Change[]): Change {
  return (base) => changes.reduce((changed, change) => change(changed), base)
}

/** Calls a part of the reference as it was called, but for the arguments given. */
type Next<K extends keyof Parts> = (...changed: Partial<Parameters<Parts[K]>>) => ReturnType<Parts[K]>

/** A function of the reference replaced; `next` calls the one that it replaces. */
export function part<K extends keyof Parts>(
  name: K,
  replaced: (next: Next<K>, ...call: Parameters<Parts[K]>) => ReturnType<Parts[K]>,
): Change {
  const wrapper =
    (original: (...call: unknown[]) => ReturnType<Parts[K]>) =>
    (...call: Parameters<Parts[K]>) =>
      replaced((...changed) => original(...changed, ...call.slice(changed.length)), ...call)
  return parts({ [name]: wrapper } as PartWrappers)
}

/** The same for a function of the deployment tool. */
export function toolPart<K extends keyof ToolParts>(
  name: K,
  replaced: (next: ToolParts[K], ...call: Parameters<ToolParts[K]>) => ReturnType<ToolParts[K]>,
): NonNullable<Variant['tool']> {
  const wrapper =
    (original: ToolParts[K]) =>
    (...call: Parameters<ToolParts[K]>) =>
      replaced(original, ...call)
  return (tool) => ({ ...tool, parts: [...tool.parts, { [name]: wrapper } as Wrappers] })
}

/** Other choices of the style of the deployment tool. */
export function toolStyled(style: Partial<ToolOptions['style']>): NonNullable<Variant['tool']> {
  return (tool) => ({ ...tool, style: { ...tool.style, ...style } })
}

/** A part of the deployment tool that fails. */
export function toolRefuses(): never {
  throw new ToolRefusal('internal error')
}

type Made = ReturnType<Parts['buildPod']>

/** New pods have something else. */
export function making(change: (pod: Made) => Partial<Made>): Change {
  return part('buildPod', (next) => {
    const pod = next()
    return { ...pod, ...change(pod) }
  })
}

/** A part refuses calls for which `why` returns a status and a reason. */
export function refusing<K extends keyof Parts>(
  name: K,
  why: (...call: Parameters<Parts[K]>) => readonly [status: number, detail: string] | false | undefined,
): Change {
  return part(name, (next, ...call) => {
    const refusal = why(...call)
    if (refusal) throw new Refusal(...refusal)
    return next(...call)
  })
}

/** The reference that a defect wraps. */
interface Wrapped {
  readonly fetch: Fetch
  readonly clock: ReferenceClock
  /** Its pods and accounts, once it has served a request. */
  readonly service: () => PodService | null
}

/** Requests are served by a function that knows the reference. */
export function serving(serve: (request: Request, wrapped: Wrapped) => Promise<Response>): Change {
  return (base) => {
    let known: PodService | null = null
    const learn = knowing((service) => {
      known = service
    })
    const wrapFetch = (fetch: Fetch) => (request: Request) =>
      serve(request, { fetch, clock: base.clock, service: () => known })
    return options({ wrapFetch })(learn(base))
  }
}

/** Responses with one status get another, and their problem says so too. */
export function restated(when: (request: Request) => boolean | Promise<boolean>, from: number, to: number): Wrap {
  return (fetch) => async (request) => {
    const isMeant = await when(request)
    const restate = onResponse(
      (_, { status }) => isMeant && status === from,
      ({ text }) => ({ status: to, text: text.replace(`"status":${from}`, `"status":${to}`) }),
    )
    return restate(fetch)(request)
  }
}

/** Tells which reference serves, once a request has come: each part is given the whole of it. */
export function knowing(onService: (service: PodService) => void): Change {
  return parts({
    authenticate: (original) => (authorization, service) => {
      onService(service as PodService)
      return original(authorization, service)
    },
  })
}

/** Pods are shown otherwise in every response; `change` gets the pod as it would be shown. */
export function shows(change: (shown: Json, pod: StoredPod, service: PodService) => Json): Change {
  return parts({
    presentPod: (original) => (pod, service) =>
      change(original(pod, service), pod, service) as unknown as ReturnType<Parts['presentPod']>,
  })
}

/** A response as it leaves the reference, the body as text. */
interface Outgoing {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Answers are rewritten if `when` says so; the headers are a copy that may be changed in place. */
export function onResponse(
  when: (request: Request, response: Response) => boolean,
  rewrite: (answer: Outgoing, request: Request) => Partial<Outgoing>,
): Wrap {
  return (fetch) => async (request) => {
    const response = await fetch(request)
    if (!when(request, response)) return response
    const answer = { status: response.status, headers: new Headers(response.headers), text: await response.text() }
    const { status, headers, text } = { ...answer, ...rewrite(answer, request) }
    // Of bytes no Content-Type is made up.
    return new Response(text === '' ? null : new TextEncoder().encode(text), { status, headers })
  }
}

/** True for the answers with this status, to the requests that `to` picks. */
export function answered(status: number, to: (request: Request) => boolean = () => true) {
  return (request: Request, response: Response) => response.status === status && to(request)
}

/** Answers get another value of a header. */
export function setsHeader(
  when: (request: Request, response: Response) => boolean,
  name: string,
  value: string | ((was: string, request: Request) => string),
  body: Partial<Outgoing> = {},
): Wrap {
  return onResponse(when, ({ headers }, request) => {
    headers.set(name, typeof value === 'string' ? value : value(headers.get(name) ?? '', request))
    return body
  })
}

/** True for the responses of success to these requests that have a body. */
export function succeeded(isMeant: (request: Request) => boolean): (request: Request, response: Response) => boolean {
  return (request, { status }) => isMeant(request) && status >= 200 && status < 300 && status !== 204
}

/** JSON answers are rewritten if `when` says so. */
export function onJson(
  when: (request: Request, response: Response) => boolean,
  rewrite: (json: Json, request: Request) => unknown,
): Wrap {
  return onResponse(when, ({ text }, request) => ({ text: JSON.stringify(rewrite(JSON.parse(text) as Json, request)) }))
}

/** True for a request of this operation of the pod plane. */
export const is = {
  list: requestOf('listPods'),
  create: requestOf('createPod'),
  get: requestOf('getPod'),
  patch: requestOf('updatePod'),
  delete: requestOf('deletePod'),
  action: requestOf('triggerPodAction'),
} as const

/** Once a request was answered, something else is asked in its name, with its own key; the response stays. */
export function afterwards(
  when: (request: Request, response: Response) => boolean,
  follow: (request: Request, body: Json, fetch: Fetch) => Promise<unknown>,
): Wrap {
  return (fetch) => async (request) => {
    const body = (await jsonOf(request)) ?? {}
    const response = await fetch(request)
    if (when(request, response)) await follow(request, body, fetch)
    return response
  }
}

/** The pod id in the path of a request; empty if there is none. */
export function idIn({ url }: Pick<Request, 'url'>): string {
  return new URL(url).pathname.split('/')[3] ?? ''
}

/** A read of the pod that a request is about, with the same key. */
export function readOf({ url, headers }: Request): Request {
  return new Request(url.replace(/\/action$/, ''), { headers })
}

/** The same request to another address. It takes over the body. */
export function readdressed(url: string, { method, headers, body, signal }: Request): Request {
  return new Request(url, { method, headers, body, signal, duplex: 'half' })
}

/** A copy of a request with another JSON body. */
export function withBody(request: Request, body: unknown): Request {
  return new Request(request.url, { method: request.method, headers: request.headers, body: JSON.stringify(body) })
}

/** JSON objects in the bodies of requests are exchanged before anything reads them; null leaves one as it is. */
export function exchanges(when: (request: Request) => boolean, other: (body: Json) => unknown): Wrap {
  return (fetch) => async (request) => {
    const body = when(request) ? await jsonOf(request) : null
    const exchanged = body === null ? null : other(body)
    return fetch(exchanged === null ? request : withBody(request, exchanged))
  }
}

/** A body that is sent in chunks, without its length, counts as empty. */
export function emptyInChunks(when: (request: Request) => boolean): Wrap {
  return (fetch) => (request) => {
    const { headers, method, url } = request
    const isLost = when(request) && headers.has('transfer-encoding')
    return fetch(isLost ? new Request(url, { headers, method }) : request)
  }
}

/** The JSON object in a body, which can still be read afterwards; null if there is none. */
export async function jsonOf(request: Request): Promise<Json | null> {
  const text = await request.clone().text()
  try {
    const value: unknown = JSON.parse(text)
    return membersOf(value)
  } catch {
    return null
  }
}

/** True for a request of an operation. */
export function requestOf(operation: OperationId): (request: Pick<Request, 'method' | 'url'>) => boolean {
  const { method, path }: OperationFacts = operations[operation]
  return route(method, new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`))
}

export function route(method: string, path: RegExp): (request: Pick<Request, 'method' | 'url'>) => boolean {
  return (request) => request.method === method && path.test(new URL(request.url).pathname)
}
