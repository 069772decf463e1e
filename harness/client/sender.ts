import { hash } from 'node:crypto'
import { tables } from '../../generated/tables.ts'
import type { Actor, PendingEvent } from '../clock/types.ts'
import type { Exchange, WireRequest, WireResponse } from '../exchange/exchange.ts'
import { Inconclusive, Unanswered } from '../rule/outcome.ts'
import { readCommandAddress } from '../tool/address.ts'
import { TransportFailure, type TransportOptions } from '../transport/types.ts'
import { type ApiResponse, toApiResponse } from './api-response.ts'
import type { Channel, Outgoing } from './channel.ts'
import { createQuota } from './quota.ts'
import { isWithoutQuota, notSentBecause, withoutQuota } from './unsent.ts'

/** A replayed response has its recorded moments and number. */
export interface Recorded {
  readonly recorded?: Pick<Exchange, 'n' | 'sent' | 'received'> & {
    readonly failure: string | null
    readonly isOutOfStep: boolean
  }
}

/** Sends the requests of one owner. */
export type Sender = ReturnType<typeof createSender>

const abandoned = new TransportFailure('abandoned', 'the rule ended before the response came')
const defaultExecutionMs = tables.bounds.executionTimeoutMs.default

/**
 * Sends for one owner: names run and rule, paces, waits until a 429 passes, repeats safe requests, records. `onRecorded`
 * is called after each recorded exchange.
 */
export function createSender(channel: Channel, owner: string, actor: Actor, onRecorded: () => void = () => {}) {
  /** Aborted once the owner ends: nothing more is sent, and nobody waits for a response. */
  const abandonment = new AbortController()
  const quota = createQuota(channel, actor, () => abandonment.signal.aborted)
  /** Exchanges whose responses may be out of step. A trial counts against the quota, so it is awaited after they have left it. */
  const doubtful = new WeakMap<Exchange, Promise<boolean>>()
  let requestCount = 0
  /** The exchange of the last complete response. */
  let last: Exchange | null = null
  /** True if a request waited, or was not sent, because the host had stopped responding. */
  let isHeldUp = false

  /** Sends one attempt, and records it unless its response is doubtful. `unsent`: its failure, if it is not sent. */
  async function attempt(
    outgoing: Outgoing,
    attemptId: string,
    background: boolean,
    unsent: string | null,
  ): Promise<Exchange> {
    const request = wireRequestOf(outgoing, attemptId)
    const before = { target: channel.now(), harness: channel.wallNow() }
    const n = channel.next()
    let response: WireResponse | null = null
    let failure = unsent
    const sentAfter = (earlier: WireRequest) => channel.connections.follow(request, earlier)
    try {
      if (failure === null) {
        outgoing.sending?.()
        const sendOnce = () => transmit(request, outgoing, background, sentAfter)
        response = await channel.health(outgoing).send(outgoing, sendOnce)
      }
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error
      failure = error.message
    }
    // In a replay the transport returns what was recorded of the exchange: it replaces what is measured here.
    const replayed = (response as (WireResponse & Recorded) | null)?.recorded
    const after = replayed?.received ?? { target: channel.now(), harness: channel.wallNow() }
    const follows = channel.connections.before(request)
    const exchange: Exchange = {
      n: replayed?.n ?? n,
      owner,
      operation: outgoing.operation,
      subject: outgoing.subject,
      ...(outgoing.endpoint === undefined ? {} : { endpoint: outgoing.endpoint }),
      key: outgoing.key,
      sent: replayed?.sent ?? before,
      received: after,
      request,
      response: replayed?.failure === undefined || replayed.failure === null ? response : null,
      failure: replayed?.failure ?? failure,
      ...(outgoing.mustBeRefused === true || outgoing.isWrong === true ? { mustBeRefused: true } : {}),
      ...(follows === undefined ? {} : { follows }),
      ...(replayed?.isOutOfStep === true ? { isOutOfStep: true } : {}),
    }
    const tried = channel.connections.end(exchange, outgoing)
    if (tried === null) return record(exchange)
    doubtful.set(exchange, tried)
    return exchange
  }

  /** Only what the record holds by then counts as seen. */
  function record(exchange: Exchange): Exchange {
    actor.seen(exchange.sent.target)
    actor.seen(exchange.received.target)
    if (exchange.response !== null) last = exchange
    channel.record(exchange)
    onRecorded()
    return exchange
  }

  /** Records an exchange whose response may be out of step, once that is known. */
  async function recordDoubtful(ended: Exchange, tried: Promise<boolean>, background: boolean): Promise<Exchange> {
    const isOutOfStep = await (background ? tried : actor.join(tried))
    return record(isOutOfStep ? { ...ended, isOutOfStep } : ended)
  }

  function transmit(
    request: WireRequest,
    outgoing: Outgoing,
    background: boolean,
    sentAfter: (earlier: WireRequest) => void,
  ): Promise<WireResponse> {
    const patience: TransportOptions = {
      sentAfter,
      ...(outgoing.connection === undefined ? {} : { connection: outgoing.connection }),
      ...(outgoing.answerMs === undefined ? {} : { answerMs: outgoing.answerMs }),
      ...(outgoing.newConnection === undefined ? {} : { newConnection: outgoing.newConnection }),
    }
    const kind = readCommandAddress(request.url) === null ? 'request' : 'command'
    if (outgoing.takesTime !== true) return actor.during(channel.transport(request, patience), kind)
    const { signal } = abandonment
    const answerMs = patience.answerMs ?? defaultExecutionMs + channel.tolerances.answerMs
    const coming = channel.transport(request, {
      ...patience,
      answerMs: answerMs + channel.standstillMs,
      signal,
    })
    const response = actor.hold(unlessAbandoned(coming, signal))
    return background ? response : actor.join(response)
  }

  function wireRequestOf({ method, url, headers, body }: Outgoing, attemptId: string): WireRequest {
    const id = hash('sha256', `${channel.runId} ${owner} ${attemptId}`)
    return {
      method,
      url,
      headers: [
        ...headers,
        ['User-Agent', `plumbline/${channel.version} (run ${channel.runId}; rule ${owner})`],
        ['traceparent', `00-${id.slice(0, 32)}-${id.slice(32, 48)}-01`],
      ],
      body,
    }
  }

  function throwIfAbandoned(): void {
    if (abandonment.signal.aborted) throw new Inconclusive(notSentBecause('the rule has ended'))
  }

  async function holdUp(ms: number): Promise<void> {
    throwIfAbandoned()
    isHeldUp = true
    await actor.pause(ms)
  }

  /** Rejects with Inconclusive if no complete response came. */
  async function send(outgoing: Outgoing, background = false): Promise<ApiResponse> {
    const number = ++requestCount
    let attempts = 0
    /** Sends the request once. `isRefused`: the attempt before was answered 429. */
    const sendAttempt = async (isRefused: boolean, next = outgoing) => {
      const waitMs = channel.reads.waitMs(next)
      if (waitMs > 0) await actor.pause(waitMs)
      throwIfAbandoned()
      // Counted per owner, so that it does not depend on the order in which responses come.
      const attemptId = `${number}.${++attempts}`
      const exchange = await quota.within(next, isRefused, async (unsent) => {
        // The rule may have ended while the quota had no room.
        throwIfAbandoned()
        if (unsent !== null) return attempt(next, attemptId, background, withoutQuota(unsent))
        const refusal = await channel.health(next).admit(next, holdUp)
        throwIfAbandoned()
        isHeldUp ||= refusal !== null
        return attempt(next, attemptId, background, refusal)
      })
      channel.reads.ended(next)
      return exchange
    }
    for (let isRefused = false; ; isRefused = true) {
      let exchange = await sendAttempt(isRefused)
      const tried = doubtful.get(exchange)
      if (tried !== undefined) exchange = await recordDoubtful(exchange, tried, background)
      if (exchange.isOutOfStep) exchange = await sendAttempt(isRefused, { ...outgoing, newConnection: true })
      const keyTried = channel.keys?.end(exchange)
      if (keyTried != null) await (background ? keyTried : actor.join(keyTried))
      const isRepeatable = exchange.response === null && !isWithoutQuota(exchange.failure) && outgoing.isHarmless
      const limitMs = Math.min(outgoing.answerMs ?? Number.POSITIVE_INFINITY, channel.tolerances.answerMs)
      const isLate = exchange.received.harness - exchange.sent.harness >= limitMs
      const isGivenUp = (outgoing.onceIfLate === true && isLate) || abandonment.signal.aborted
      if (isRepeatable && !isGivenUp) exchange = await sendAttempt(isRefused, { ...outgoing, newConnection: true })
      const { response, failure } = exchange
      if (isWithoutQuota(failure)) throw new Inconclusive(`${outgoing.method} ${outgoing.url} was ${failure}`)
      if (response === null) throw new Unanswered(`no complete response: ${failure}`, exchange.n, isLate)
      if (response.status !== 429 || outgoing.raw429) return toApiResponse(exchange, response)
    }
  }

  return {
    send,
    lastResponse: () => last,
    /** True if the host of the last response has stopped responding since, or held a request up before. Not known in a replay. */
    isInterrupted(): boolean {
      if (last === null) return isHeldUp
      const { operation, received, request } = last
      return isHeldUp || channel.health({ url: request.url, operation }).stoppedMs() > received.harness
    },
    /** Sends and goes on; the response is waited for with `clock.until`. */
    begin(outgoing: Outgoing): PendingEvent<ApiResponse> {
      const comes = send({ ...outgoing, takesTime: true }, true)
      comes.catch(() => {})
      return { comes }
    },
    /**
     * Gives up all unanswered requests and sends nothing more. Call it before `release`, which wakes requests that wait
     * for a quota.
     */
    // Nobody reads the reason, but without one an error with a stack is made.
    abandon: () => abandonment.abort(abandoned),
    reserve: quota.reserve,
    release: quota.release,
  }
}

/** The response, or a failure once `signal` aborts. */
function unlessAbandoned(response: Promise<WireResponse>, signal: AbortSignal): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(abandoned)
    signal.addEventListener('abort', () => reject(abandoned), { once: true })
    response.then(resolve, reject)
  })
}
