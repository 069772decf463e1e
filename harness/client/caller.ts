import type { OperationFacts } from '../../generated/operations.ts'
import type { PlaneSection } from '../../target/types.ts'
import type { PendingEvent } from '../clock/types.ts'
import type { HeaderPairs, Operation, WireRequest } from '../exchange/exchange.ts'
import { membersOf, valueAt } from '../exchange/read.ts'
import type { ApiResponse } from './api-response.ts'
import { bytesOf } from './body.ts'
import type { Outgoing, SendOptions } from './channel.ts'
import type { Sender } from './sender.ts'

/** Options of a request. */
export interface CallOptions extends SendOptions {
  /** The Authorization header as it is sent; null sends none. */
  readonly authorization?: string | null
  /** The Content-Type of the body; null sends none. */
  readonly contentType?: string | null
  readonly headers?: HeaderPairs
  /**
   * Sending it twice does no harm, such as a removal: the second finds nothing. It is sent again while a gateway answers, and
   * a DELETE also if its response is lost.
   */
  readonly repeats?: boolean
}

/** A request for an operation; the body is a JSON value, or `raw(…)` for bytes as they are, or `nothing`. */
export interface Call extends CallOptions {
  /** Values of the placeholders of the path. */
  readonly ids?: Readonly<Record<string, string>>
  /** Query of the address, after its question mark. */
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The base address of the request, if it is not that of the plane. */
  readonly at?: string
  /** Method and path of a request that is not an operation. */
  readonly other?: { readonly method: string; readonly path: string }
}

/** A plane as its requests are built. */
export interface Described {
  readonly operations: Readonly<Record<string, OperationFacts>>
  /** The header Accept of its requests. */
  readonly accept: string
  /** Beginning of its addresses if it is not an HTTP API, such as `command:`. */
  readonly scheme?: string
}

/** The request for an operation at an address with a key. */
export function requestOf(
  { operations, accept, scheme }: Described,
  { url, paths, headers }: PlaneSection,
  operation: string,
  token: string,
  call: Call = {},
): WireRequest {
  const base = call.at ?? url ?? scheme
  if (base === undefined) throw new Error(`${operation} cannot be called: its plane has no address`)
  const route = routeOf(paths[operation] ?? '', operations[operation]?.method ?? 'GET')
  const { method, path } = call.other ?? { ...route, path: pathOf(route.path, call.ids) }
  const query = new URLSearchParams(call.query).toString()
  return {
    method,
    url: base + path + (query === '' ? '' : `${path.includes('?') ? '&' : '?'}${query}`),
    headers: [...Object.entries(headers ?? {}), ...headersOf(token, call.body !== undefined, accept, call)],
    body: bytesOf(call.body),
  }
}

/** The header lines of a request: the usual ones, then those of the options. */
function headersOf(key: string, hasBody: boolean, accept: string, options: CallOptions): HeaderPairs {
  const { authorization = `Bearer ${key}`, headers = [] } = options
  const contentType = options.contentType === undefined && hasBody ? 'application/json' : options.contentType
  return [
    ['Accept', accept],
    ['Accept-Encoding', 'identity'],
    ...(authorization === null ? [] : [['Authorization', authorization] as const]),
    ...(contentType === undefined || contentType === null ? [] : [['Content-Type', contentType] as const]),
    ...headers,
  ]
}

/** Method and path template of an operation. A target file may give another method before the path: `POST /status/{job}`. */
export function routeOf(template: string, method: string): { readonly method: string; readonly path: string } {
  const [first = '', path] = template.split(' ')
  return path === undefined ? { method, path: first } : { method: first, path }
}

/** A template with the values of its placeholders; a `{route}` is a path and stays as it is. */
export function pathOf(template: string, ids: Call['ids'] = {}): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = ids[name]
    if (value === undefined) return placeholder
    return name === 'route' ? value : encodeURIComponent(value)
  })
}

/** A plane as an owner calls it with one key. */
export interface Caller {
  /** Rejects with Inconclusive if no whole response came. */
  call(operation: string, call?: Call): Promise<ApiResponse>
  /** Sends and goes on; the response is waited for with `clock.until`. */
  begin(operation: string, call?: Call): PendingEvent<ApiResponse>
}

export interface CallerOptions {
  readonly plane: Described
  readonly section: PlaneSection
  readonly key: { readonly name: string; readonly value: string }
  readonly sender: Pick<Sender, 'send' | 'begin'>
  /**
   * Called when a request is first sent. The returned function takes the response, so that everything created is removed.
   */
  readonly note: (operation: string, call: Call) => (response: ApiResponse) => void
  /** Sends a request, repeatedly if necessary; default: once. */
  readonly repeat?: (operation: string, call: Call, send: Send) => Promise<ApiResponse>
  /** Member of the responses of an operation that holds the resource that they show; empty: the response itself. */
  readonly resourceAt?: (operation: string) => string
}

type Send = (operation: string, call: Call) => Promise<ApiResponse>

export function createCaller({
  plane,
  section,
  key,
  sender,
  note,
  repeat = once,
  resourceAt = () => '',
}: CallerOptions): Caller {
  function outgoing(operation: string, call: Call): Outgoing {
    const { endpoint, route: _, ...subjects } = call.ids ?? {}
    return {
      ...call,
      ...requestOf(plane, section, operation, key.value, call),
      operation: operation as Operation,
      subject: Object.values(subjects)[0] ?? null,
      ...(endpoint === undefined ? {} : { endpoint }),
      key: call.authorization === undefined ? key.name : null,
      isHarmless: isHarmless(plane.operations[operation], call),
      takesTime: plane.operations[operation]?.held ?? false,
    }
  }

  /** A request that waits for its quota when the run ends has created nothing, so it is noted once it is sent. */
  function noting(operation: string, call: Call) {
    let noted: ((response: ApiResponse) => void) | null = null
    return {
      sending(): void {
        noted ??= note(operation, call)
      },
      takeApiResponse: (response: ApiResponse): void => noted?.(response),
    }
  }

  return {
    async call(operation, call = {}) {
      const { sending, takeApiResponse } = noting(operation, call)
      const response = await repeat(operation, call, async (name, given) =>
        unwrapped(await sender.send({ ...outgoing(name, given), sending }), resourceAt(name)),
      )
      takeApiResponse(response)
      return response
    },
    begin(operation, call = {}) {
      const { sending, takeApiResponse } = noting(operation, call)
      const { comes } = sender.begin({ ...outgoing(operation, call), sending })
      const coming = comes.then((response) => unwrapped(response, resourceAt(operation)))
      coming.then(takeApiResponse, () => {})
      return { comes: coming }
    },
  }
}

/** The response as if the resource that a member of it holds were all of it; unchanged if no member holds one. */
function unwrapped(response: ApiResponse, at: string): ApiResponse {
  const json = at === '' ? null : membersOf(valueAt(response.json, at))
  return json === null ? response : { ...response, json }
}

/** True if a request changes nothing, or nothing more. The operation decides: a target file may give it another method. */
function isHarmless(facts: OperationFacts | undefined, { mustBeRefused, once, other, repeats }: Call): boolean {
  if (once === true) return false
  if (other !== undefined) return other.method === 'GET'
  if (facts?.method === 'DELETE') return repeats === true && !facts.consumed
  return facts?.method === 'GET' && (!facts.consumed || mustBeRefused === true)
}

function once(operation: string, call: Call, send: Send): Promise<ApiResponse> {
  return send(operation, call)
}
