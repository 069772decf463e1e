import { type OperationId, operations } from '../generated/operations.ts'
import type { RuleId, RuleRow } from '../generated/rules.ts'
import { type PodStatus, podActions, tables } from '../generated/tables.ts'
import { type SchemaName, type ValidationFailure, validators } from '../generated/validators.ts'
import { retryAfterMs } from '../harness/client/rate-windows.ts'
import {
  type Exchange,
  headerOf,
  isSuccess,
  jsonOf,
  type Operation,
  type WireRequest,
} from '../harness/exchange/exchange.ts'
import { idIn, membersOf } from '../harness/exchange/read.ts'
import { planeOfOperation } from '../harness/planes/index.ts'
import type { Invariant, InvariantStep } from '../harness/rule/registry.ts'
import { failuresOf, mayBeTaken } from '../suites/fuzz/oracle/allowed.ts'
import { readBody } from '../suites/fuzz/oracle/reading.ts'
import { allowsNoSuccess, classify } from '../suites/fuzz/oracle.ts'
import { podsShown } from '../suites/pods/pods-in.ts'
import { isPodStatus, judged } from '../suites/shared/shapes.ts'

// Rules about a client, as reducers over the exchanges of a proxy. They are not in the ledger, because `check` judges no client.

/** Timers may fire this much early. */
const timerSlackMs = 20

/** Retry-After and Date are cut to seconds if they are dates. */
const dateSlackMs = 1_000

/**
 * A client knows a response only this long after it was passed on: the bytes may still be in a buffer, and requests that
 * the client has already queued or that its other threads send do not depend on it.
 */
const knownAfterMs = 250

type Sentence = readonly [source: string, says: string]

/** Demands of the description, each with its heading. */
const demands: Readonly<Record<string, Sentence>> = {
  'client.token': ['Authentication', 'Each request carries a token, as Authorization: Bearer TOKEN.'],
  'client.body': ['Errors', 'A request body is one that the server may accept.'],
}

/** Advice that follows from the description, which does not demand it. */
const advice: Readonly<Record<string, Sentence>> = {
  'client.token-refused': [
    'Authentication',
    'A token that was answered 401 should not be sent again to the same API or endpoint.',
  ],
  'client.retry-after': ['Limits', 'After Retry-After, a client should wait until that time is over.'],
  'client.action': ['Pod status', 'A client should call only actions that the last status that it was shown permits.'],
}

/** Their rows, in the form of the ledger. */
export const clientRows: readonly RuleRow[] = [
  ...rowsOf(demands, { level: 'must', basis: 'stated' }),
  ...rowsOf(advice, { level: 'should', basis: 'inferred' }),
]

/** All rules about clients. */
export const clientRules: readonly Invariant[] = [
  about<null>('client.token', null, (state, { request: { headers } }) => {
    const value = headerOf(headers, 'authorization')
    const isBearer = value !== null && /^Bearer +\S+$/i.test(value)
    const observed = value === null ? 'no Authorization' : 'another Authorization'
    return { state, ...judged(value === null ? 'given' : 'form', isBearer, 'Authorization: Bearer TOKEN', observed) }
  }),

  about<Moments>('client.token-refused', new Map(), (refused, exchange) => {
    const { key, operation, sent, response } = exchange
    if (key === null || response === null) return nothing(refused)
    const id = [planeOfOperation(operation).name, key, scopeOf(exchange)].join(' ')
    const refusedMs = refused.get(id)
    const isRefused = response.status === 401
    const state = withEntry(refused, id, isRefused ? (refusedMs ?? knownMs(exchange)) : undefined)
    const isKnown = refusedMs !== undefined && sent.harness > refusedMs
    return isKnown
      ? { state, ...judged('repeated', !isRefused, 'another token after a 401', 'the same token') }
      : nothing(state)
  }),

  about<ReadonlyMap<string, Delay>>('client.retry-after', new Map(), (delays, exchange) => {
    const { operation, key, request, sent, response } = exchange
    const ofQuota = [key, operation, scopeOf(exchange)].join(' ')
    const ofRequest = [key, request.method, request.url].join(' ')
    const known = [ofQuota, ofRequest].filter(
      (id) => sent.harness > (delays.get(id)?.knownMs ?? Number.POSITIVE_INFINITY),
    )
    const hasWaited = known.every((id) => sent.harness >= (delays.get(id)?.untilMs ?? 0) - timerSlackMs)
    let state = delays
    for (const id of known) state = withEntry(state, id, undefined)
    const ms = delayOf(exchange)
    // The wait may begin with the header, whose moment is not known: it comes after the request.
    const delay = ms === null ? null : { knownMs: knownMs(exchange), untilMs: sent.harness + ms }
    if (delay !== null) state = withEntry(state, response?.status === 429 ? ofQuota : ofRequest, delay)
    if (known.length === 0) return nothing(state)
    return { state, ...judged('waited', hasWaited, `no ${operation} before Retry-After is over`, 'one before that') }
  }),

  about<null>('client.body', null, (state, { operation, request }) => {
    if (schemaOf(operation) === null) return nothing(state)
    const isBad = hasRefusedBody(operation, request)
    return { state, ...judged('valid', !isBad, `a body that ${operation} may accept`, 'one that has to be refused') }
  }),

  about<ReadonlyMap<string, Last>>('client.action', new Map(), (pods, exchange, target) => {
    const { operation, request, response, sent, subject, key } = exchange
    const last = pods.get(subject ?? '')
    // An action or a change may have changed the status, unless the response shows the pod.
    const isChange = subject !== null && operation !== 'getPod' && planeOfOperation(operation).name === 'pods'
    let state = isChange ? withEntry(pods, subject, undefined) : pods
    for (const pod of podsShown(exchange, target)) {
      const shown = isPodStatus(pod.status) ? { status: pod.status, key, knownMs: knownMs(exchange) } : undefined
      state = withEntry(state, idIn(pod) ?? '', shown)
    }
    const action = request.body === null ? undefined : membersOf(jsonOf(request.body))?.action
    const isKnown = podActions.some((one) => one === action)
    const isShown = last !== undefined && last.key === key && sent.harness > last.knownMs
    if (operation !== 'triggerPodAction' || !isShown || !isKnown) return nothing(state)
    const isPermitted = tables.actions[last.status].some((one) => one === action)
    // A success means that the status had changed in the meantime; any other refusal says nothing about the status.
    if (!isPermitted && response?.status !== 409) return nothing(state)
    const expected = `${[...tables.actions[last.status]].sort().join(', ') || 'no action'} while ${last.status}`
    return { state, ...judged('permitted', isPermitted, expected, String(action)) }
  }),
].map((rule) => rule as Invariant)

/** Moments, ms. */
type Moments = ReadonlyMap<string, number>

/** A response that asked to wait. */
interface Delay {
  readonly knownMs: number
  readonly untilMs: number
}

/** The last status of a pod that a client was shown. */
interface Last {
  readonly status: PodStatus
  readonly key: string | null
  readonly knownMs: number
}

/** The moment from which on a client knows a response. */
function knownMs({ received }: Exchange): number {
  return received.harness + knownAfterMs
}

function rowsOf(sentences: Readonly<Record<string, Sentence>>, kind: Pick<RuleRow, 'level' | 'basis'>): RuleRow[] {
  return Object.entries(sentences).map(([id, [source, says]]) => ({
    ...{ id, area: 'client', profile: 'core', ...kind, source, says },
    ...{ needs: [], parts: [], wait: null, judged: null },
  }))
}

/** A rule about the requests to all planes. */
function about<State>(id: string, initial: State, reduce: Invariant<State>['reduce']): Invariant<State> {
  return { kind: 'invariant', id: id as RuleId, initial, reduce, ofConnections: true }
}

function nothing<State>(state: State): InvariantStep<State> {
  return { state, exercised: [], findings: [] }
}

/** The same map with another value, or without the entry. */
function withEntry<Value>(
  map: ReadonlyMap<string, Value>,
  id: string,
  value: Value | undefined,
): ReadonlyMap<string, Value> {
  if (map.get(id) === value) return map
  const changed = new Map(map)
  if (value === undefined) changed.delete(id)
  else changed.set(id, value)
  return changed
}

/** The endpoint of a request, which refuses and counts for itself. A load-balanced one is called by its paths. */
function scopeOf({ operation, endpoint, request }: Exchange): string {
  return endpoint ?? (planeOfOperation(operation).name === 'lb' ? request.url : '')
}

/** The wait that a response asks for at least, ms; null if it asks for none. */
function delayOf({ response, received }: Exchange): number | null {
  if (response === null || isSuccess(response.status)) return null
  const { headers } = response
  const sentMs = Date.parse(headerOf(headers, 'date') ?? '')
  const untilMs = Date.parse(headerOf(headers, 'retry-after') ?? '')
  const ms = untilMs - (Number.isNaN(sentMs) ? received.harness : sentMs) - dateSlackMs
  return retryAfterMs(response) ?? (Number.isNaN(ms) ? null : Math.max(0, ms))
}

/** True if no server may accept the body of a request. */
export function hasRefusedBody(operation: Operation, { body }: Pick<WireRequest, 'body'>): boolean {
  const schema = schemaOf(operation)
  if (schema === null) return false
  const bytes = body ?? new Uint8Array()
  if (operation === 'createPod' || operation === 'runJob' || operation === 'runJobSync') {
    return allowsNoSuccess(classify({ operation }, bytes))
  }
  return readBody(bytes).values.every((value) =>
    failuresOf(value, validators[schema]).some((failure) => !mayBeTaken(failure) && !isOpen(operation, failure)),
  )
}

function schemaOf(operation: Operation): SchemaName | null {
  return operations[operation as OperationId].body as SchemaName | null
}

/** Which fields a PATCH of a pod takes beside mounts is not described. */
function isOpen(operation: Operation, { instancePath, keyword }: ValidationFailure): boolean {
  const isOfBody = instancePath === '' && keyword === 'type'
  return operation === 'updatePod' && !isOfBody && !instancePath.startsWith('/mounts')
}
