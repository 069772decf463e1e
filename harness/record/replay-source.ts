import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Recorded } from '../client/sender.ts'
import type { WaitEnd } from '../clock/types.ts'
import { type Exchange, headerOf, type WireRequest, type WireResponse } from '../exchange/exchange.ts'
import type { Arrival } from '../receiver/types.ts'
import type { HookEvent } from './events.ts'
import type { Redactor } from './redact.ts'

/** The rules or the record differ from those of the run. */
export class ReplayMismatch extends Error {
  override readonly name = 'ReplayMismatch'
}

/** One recorded event of an owner: a response, the end of a wait or of a hook, an arrival. */
export type RecordedEvent =
  | { readonly kind: 'exchange'; readonly exchange: Exchange }
  | { readonly kind: 'wait'; readonly end: WaitEnd }
  | { readonly kind: 'hook'; readonly end: HookEvent }
  | { readonly kind: 'arrival'; readonly arrival: Arrival }

/** A record as a source of events: each owner gets its events in the recorded order. */
export type ReplaySource = ReturnType<typeof createReplaySource>

/** The recorded events of one owner, and the functions that wait for one of them, by its key. */
interface OwnerEvents {
  readonly recorded: RecordedEvent[]
  next: number
  running: boolean
  readonly waiting: Map<string, () => void>
}

/** Turns of the event loop without an event handed out, after which the recorded order cannot be kept. */
const stuckTurns = 20_000

/** `redactor`: of the marks, which a request may carry in another form than the record has them. */
export function createReplaySource(recorded: Iterable<RecordedEvent>, redactor: Redactor) {
  const owners = new Map<string, OwnerEvents>()
  const exchanges = new Map<string, Exchange>()
  const ends = new Map<string, WaitEnd | HookEvent>()
  const failures = new Set<(reason: Error) => void>()
  let take: (arrival: Arrival) => boolean = () => false
  let handedOut = 0
  let watching = false
  for (const event of recorded) {
    if (event.kind === 'exchange') exchanges.set(keyOf(event), event.exchange)
    else if (event.kind !== 'arrival') ends.set(keyOf(event), event.end)
    eventsOf(ownerOf(event)).recorded.push(event)
  }

  function eventsOf(owner: string): OwnerEvents {
    const own = owners.get(owner) ?? { recorded: [], next: 0, running: false, waiting: new Map() }
    owners.set(owner, own)
    return own
  }

  /** Hands out events while somebody asks for the next one. Each time, the receiver of an event runs first. */
  async function handOutAll(own: OwnerEvents): Promise<void> {
    if (own.running) return
    own.running = true
    while (handOut(own)) {
      own.next++
      handedOut++
      await nextTurn()
      await nextTurn()
    }
    own.running = false
  }

  function handOut(own: OwnerEvents): boolean {
    const event = own.recorded[own.next]
    if (event === undefined) return false
    if (event.kind === 'arrival') return take(event.arrival)
    const go = own.waiting.get(keyOf(event))
    go?.()
    return go !== undefined
  }

  function turnOf<Value>(owner: string, key: string, value: Value): Promise<Value> {
    const own = eventsOf(owner)
    return new Promise((resolve, reject) => {
      failures.add(reject)
      own.waiting.set(key, () => {
        failures.delete(reject)
        resolve(value)
      })
      void handOutAll(own)
      void watch()
    })
  }

  /** The recorded end of the n-th wait or hook of an owner, in its turn. */
  function endOf<End>(kind: 'wait' | 'hook', owner: string, n: number, does: string): Promise<End> {
    const key = `${kind} ${owner} ${n}`
    const end = ends.get(key)
    if (end === undefined) throw new ReplayMismatch(`${owner} ${does} once more than in the record`)
    return turnOf(owner, key, end as End)
  }

  async function watch(): Promise<void> {
    if (watching) return
    watching = true
    let last = handedOut
    for (let turns = 0; failures.size > 0; turns++) {
      if (turns > stuckTurns) {
        const mismatch = new ReplayMismatch('the rules do not follow the order of the record')
        for (const fail of failures) fail(mismatch)
        failures.clear()
      }
      await nextTurn()
      if (handedOut !== last) turns = 0
      last = handedOut
    }
    watching = false
  }

  function clean({ url, headers, body, ...rest }: WireRequest): WireRequest {
    return {
      ...rest,
      url: redactor.text(url),
      headers: headers.map(([name, value]) => [name, redactor.text(value)]),
      body: body === null ? null : redactor.bytes(body),
    }
  }

  return {
    /** The recorded response. Rejects with ReplayMismatch if there is none, or the request differs. */
    async respond(request: WireRequest): Promise<WireResponse & Recorded> {
      const key = traceOf(request)
      const exchange = exchanges.get(key)
      if (exchange === undefined) throw new ReplayMismatch(`${request.method} ${request.url} is not in the record`)
      const change = difference(exchange.request, request) && difference(exchange.request, clean(request))
      if (change !== null) {
        throw new ReplayMismatch(`exchange ${exchange.n} was recorded with another request: ${change}`)
      }
      exchanges.delete(key)
      const { n, sent, received, failure, isOutOfStep = false } = exchange
      const response = exchange.response ?? { status: 0, headers: [], body: new Uint8Array() }
      return turnOf(exchange.owner, key, {
        ...response,
        recorded: { n, sent, received, failure, isOutOfStep },
      })
    },
    /** The outcome of the n-th hook of an owner. */
    hook: async (owner: string, n: number) => (await endOf<HookEvent>('hook', owner, n, 'runs a hook')).failure,
    /** The end of the n-th wait of an owner. */
    wait: async (owner: string, n: number) => endOf<WaitEnd>('wait', owner, n, 'waits'),
    /** Sets the function that takes arrivals; it returns false if the job of an arrival is not there yet. */
    arrivals(given: (arrival: Arrival) => boolean): void {
      take = given
    },
  }
}

function ownerOf(event: RecordedEvent): string {
  if (event.kind === 'exchange') return event.exchange.owner
  return (event.kind === 'arrival' ? event.arrival.owner : event.end.owner) ?? ''
}

/** Names an event that an owner can wait for. */
function keyOf(event: Exclude<RecordedEvent, { kind: 'arrival' }>): string {
  if (event.kind === 'exchange') return traceOf(event.exchange.request)
  const { kind, end } = event
  return `${kind} ${end.owner} ${kind === 'wait' ? end.wait : end.hook}`
}

function traceOf(request: WireRequest): string {
  return headerOf(request.headers, 'traceparent') ?? ''
}

function difference(was: WireRequest, is: WireRequest): string | null {
  if (was.method !== is.method) return `method ${was.method}, now ${is.method}`
  if (was.url !== is.url) return `address ${was.url}, now ${is.url}`
  const lines = (of: WireRequest) => JSON.stringify(of.headers)
  if (lines(was) !== lines(is)) return 'its header lines'
  if (Buffer.compare(was.body ?? empty, is.body ?? empty) !== 0) return 'its body'
  return null
}

const empty = new Uint8Array()
