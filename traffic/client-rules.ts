import { type OperationId, operations } from '../generated/operations.ts'
import type { RuleId, RuleRow } from '../generated/rules.ts'
import { type PodStatus, tables } from '../generated/tables.ts'
import { type SchemaName, type ValidationFailure, validators } from '../generated/validators.ts'
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
import { classify, mustBeRefused } from '../suites/fuzz/oracle.ts'
import { podsShown } from '../suites/pods/pods-in.ts'
import { isPodStatus, judged, type Shown } from '../suites/shared/shapes.ts'

// Rules about a client, as reducers over the exchanges of a proxy. They are not in the ledger, because `check` judges no client.

/** A timer may end so much early. */
const timerSlackMs = 20

/** Each sentence with the heading of the description. */
const says: Readonly<Record<string, readonly [source: string, says: string]>> = {
  'client.token': ['Authentication', 'Each request carries a token, as Authorization: Bearer TOKEN.'],
  'client.token-refused': ['Authentication', 'A token that was answered 401 is not sent again to the same API.'],
  'client.retry-after': ['Limits', 'After Retry-After, the same operation is not called before that time is over.'],
  'client.body': ['Errors', 'A request body is one that the server may accept.'],
  'client.action': ['Pod status', 'A client calls only actions that the last status that it was shown permits.'],
}

/** Their rows, in the form of the ledger. */
export const clientRows: readonly RuleRow[] = Object.entries(says).map(([id, [source, text]]) => ({
  ...{ id, area: 'client', profile: 'core', level: 'must', basis: 'stated', source, says: text },
  ...{ needs: [], parts: [], wait: null, judged: null },
}))

/** All rules about clients. */
export const clientRules: readonly Invariant[] = [
  about<null>('client.token', null, (state, { request: { headers } }) => {
    const value = headerOf(headers, 'authorization')
    const isBearer = value !== null && /^Bearer +\S+$/i.test(value)
    const observed = value === null ? 'no Authorization' : 'another Authorization'
    return { state, ...judged(value === null ? 'given' : 'form', isBearer, 'Authorization: Bearer TOKEN', observed) }
  }),

  about<Moments>('client.token-refused', new Map(), (refused, { key, operation, sent, received, response }) => {
    if (key === null) return nothing(refused)
    const id = `${planeOfOperation(operation).name} ${key}`
    const refusedMs = refused.get(id)
    const isAfter = refusedMs !== undefined && sent.harness > refusedMs
    const isRefused = response?.status === 401
    const last = isRefused ? received.harness : isAfter && response !== null ? undefined : refusedMs
    const shown = judged('repeated', !isRefused, 'another token after a 401', 'the same token')
    return { state: withEntry(refused, id, last), ...(isAfter && response !== null ? shown : silence) }
  }),

  about<ReadonlyMap<string, Delay>>('client.retry-after', new Map(), (delays, exchange) => {
    const { operation, endpoint, key, request, sent, received } = exchange
    // A load-balanced endpoint is called by its paths.
    const id = [
      key,
      operation,
      endpoint ?? (operations[operation as OperationId].plane === 'lb' ? request.url : ''),
    ].join(' ')
    const delay = delays.get(id)
    const asked = delayOf(exchange)
    const isAfter = delay !== undefined && sent.harness > delay.receivedMs
    const next = asked === null ? (isAfter ? undefined : delay) : { receivedMs: received.harness, ms: asked }
    const state = withEntry(delays, id, next)
    if (!isAfter) return nothing(state)
    const hasWaited = sent.harness - delay.receivedMs >= delay.ms - timerSlackMs
    return { state, ...judged('waited', hasWaited, `no ${operation} before Retry-After is over`, 'one before that') }
  }),

  about<null>('client.body', null, (state, { operation, request }) => {
    if (schemaOf(operation) === null) return nothing(state)
    const isBad = hasRefusedBody(operation, request)
    return { state, ...judged('valid', !isBad, `a body that ${operation} may accept`, 'one that has to be refused') }
  }),

  about<ReadonlyMap<string, Last>>('client.action', new Map(), (pods, exchange, target) => {
    const { operation, request, response, sent, received, subject } = exchange
    const last = pods.get(subject ?? '')
    // What was done to a pod may have changed its status, unless the response shows the pod.
    const isChange = subject !== null && operation !== 'getPod' && planeOfOperation(operation).name === 'pods'
    let state = isChange ? withEntry(pods, subject, undefined) : pods
    for (const pod of podsShown(exchange, target)) {
      const shown = isPodStatus(pod.status) ? { status: pod.status, receivedMs: received.harness } : undefined
      state = withEntry(state, idIn(pod) ?? '', shown)
    }
    const action = request.body === null ? undefined : membersOf(jsonOf(request.body))?.action
    const isKnown = tables.actions.RUNNING.concat(tables.actions.EXITED).some((one) => one === action)
    if (operation !== 'triggerPodAction' || last === undefined || !isKnown || sent.harness <= last.receivedMs)
      return nothing(state)
    // A success means that the status had changed in the meantime.
    const isPermitted = tables.actions[last.status].some((one) => one === action) || isSuccess(response?.status ?? 0)
    const expected = `${[...tables.actions[last.status]].sort().join(', ') || 'no action'} while ${last.status}`
    return { state, ...judged('permitted', isPermitted, expected, String(action)) }
  }),
].map((rule) => rule as Invariant)

/** Moments, ms. */
type Moments = ReadonlyMap<string, number>

/** A response that asked to wait. */
interface Delay {
  readonly receivedMs: number
  readonly ms: number
}

/** The last status of a pod that a client was shown. */
interface Last {
  readonly status: PodStatus
  readonly receivedMs: number
}

/** A rule about the requests to all planes. */
function about<State>(id: string, initial: State, reduce: Invariant<State>['reduce']): Invariant<State> {
  return { kind: 'invariant', id: id as RuleId, initial, reduce, ofConnections: true }
}

const silence: Shown = { exercised: [], findings: [] }

function nothing<State>(state: State): InvariantStep<State> {
  return { state, ...silence }
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

/** The wait that a response asks for, ms; null if it asks for none. */
function delayOf({ response, received }: Exchange): number | null {
  const value = response === null || isSuccess(response.status) ? null : headerOf(response.headers, 'retry-after')
  if (value === null) return null
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000
  const sentMs = Date.parse(headerOf(response?.headers ?? [], 'date') ?? '')
  const ms = Date.parse(value) - (Number.isNaN(sentMs) ? received.harness : sentMs)
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/** True if no server may accept the body of a request. */
export function hasRefusedBody(operation: Operation, { body }: Pick<WireRequest, 'body'>): boolean {
  const schema = schemaOf(operation)
  if (schema === null) return false
  const bytes = body ?? new Uint8Array()
  if (operation === 'createPod' || operation === 'runJob' || operation === 'runJobSync') {
    return mustBeRefused(classify({ operation }, bytes))
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
