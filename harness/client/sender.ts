import { hash } from 'node:crypto'
import { tables } from '../../generated/tables.ts'
import type { Actor, PendingEvent } from '../clock/types.ts'
import type { Exchange, WireRequest, WireResponse } from '../exchange/exchange.ts'
import { Inconclusive, Unanswered } from '../rule/outcome.ts'
import { TransportFailure } from '../transport/types.ts'
import type { Channel, Outgoing } from './channel.ts'
import { createQuota } from './quota.ts'
import { type Reply, toReply } from './reply.ts'

/** A replayed response has its recorded moments and number. */
export interface Recorded {
  readonly recorded?: Pick<Exchange, 'n' | 'sent' | 'received'> & { readonly failure: string | null }
}

const givenUpAfter = 8
/** Real ms after which a target that was given up is tried again. */
const tryAgainMs = 5_000
/** The beginning of the failure of a request that was not sent because the quota was used up. */
const unsentPrefix = 'not sent: '

/** Sends the requests of one owner. */
export type Sender = ReturnType<typeof createSender>

const abandoned = new TransportFailure('abandoned', 'the rule ended before the response came')
/** The length of a default execution. */
const heldMs = tables.bounds.executionTimeoutMs.default

/**
 * Sends for one owner: names run and rule, paces, waits until a 429 passes, repeats safe requests, records. `look` is
 * called each time an exchange has been recorded.
 */
export function createSender(channel: Channel, owner: string, actor: Actor, look: () => void = () => {}) {
  const given = new AbortController()
  const quota = createQuota(channel, actor, () => given.signal.aborted)
  let sent = 0

  /** Sends and records. `unsent`: why the request is not sent. */
  async function once(
    outgoing: Outgoing,
    place: string,
    background: boolean,
    unsent: string | null,
  ): Promise<Exchange> {
    const request = addressed(outgoing, place)
    const before = { target: channel.now(), harness: channel.wallNow() }
    const n = channel.next()
    let response: WireResponse | null = null
    let failure: string | null = unsent === null ? null : unsentPrefix + unsent
    try {
      if (failure === null) {
        outgoing.sending?.()
        response = await answerOf(request, outgoing, background)
      }
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error
      failure = error.message
      if (error.kind === 'unreachable' || error.kind === 'timeout' || error.kind === 'reset')
        channel.health.unanswered++
    }
    const old = (response as (WireResponse & Recorded) | null)?.recorded
    const after = old?.received ?? { target: channel.now(), harness: channel.wallNow() }
    actor.seen((old?.sent ?? before).target)
    actor.seen(after.target)
    const exchange: Exchange = {
      n: old?.n ?? n,
      owner,
      operation: outgoing.operation,
      subject: outgoing.subject,
      ...(outgoing.endpoint === undefined ? {} : { endpoint: outgoing.endpoint }),
      key: outgoing.key,
      sent: old?.sent ?? before,
      received: after,
      request,
      response: old?.failure === undefined || old.failure === null ? response : null,
      failure: old?.failure ?? failure,
    }
    channel.record(exchange)
    look()
    return exchange
  }

  /** The response. Many consecutive requests without one give the target up. */
  async function answerOf(request: WireRequest, outgoing: Outgoing, background: boolean): Promise<WireResponse> {
    const { health } = channel
    if (health.unanswered >= givenUpAfter && channel.wallNow() - health.triedMs < tryAgainMs) {
      throw new TransportFailure(
        'malformed',
        `not sent, because ${health.unanswered} requests in a row had no response`,
      )
    }
    health.triedMs = channel.wallNow()
    const response = await answerTo(request, outgoing, background)
    health.unanswered = 0
    return response
  }

  function answerTo(request: WireRequest, outgoing: Outgoing, background: boolean): Promise<WireResponse> {
    const patience = {
      ...(outgoing.answerMs === undefined ? {} : { answerMs: outgoing.answerMs }),
      ...(outgoing.newConnection === undefined ? {} : { newConnection: outgoing.newConnection }),
    }
    if (outgoing.takesTime !== true) return actor.during(channel.transport(request, patience))
    const { signal } = given
    const answers = channel.transport(request, { answerMs: heldMs + channel.tolerances.answerMs, ...patience, signal })
    const answer = actor.hold(unlessGiven(answers, signal))
    return background ? answer : actor.join(answer)
  }

  /** `place` counts the owner's requests and their attempts, in an order that does not depend on the network. */
  function addressed({ method, url, headers, body }: Outgoing, place: string): WireRequest {
    const id = hash('sha256', `${channel.run} ${owner} ${place}`)
    return {
      method,
      url,
      headers: [
        ...headers,
        ['User-Agent', `plumbline/${channel.version} (run ${channel.run}; rule ${owner})`],
        ['traceparent', `00-${id.slice(0, 32)}-${id.slice(32, 48)}-01`],
      ],
      body,
    }
  }

  function refuseIfGiven(): void {
    if (given.signal.aborted) throw new Inconclusive('not sent, because the rule has ended')
  }

  /** Rejects with Inconclusive if no complete response came. */
  async function send(outgoing: Outgoing, background = false): Promise<Reply> {
    const number = ++sent
    let tries = 0
    const next = (isRefused: boolean) => {
      refuseIfGiven()
      const place = `${number}.${++tries}`
      return quota.within(outgoing, isRefused, (unsent) => {
        // The rule may have ended while the quota had no room.
        refuseIfGiven()
        return once(outgoing, place, background, unsent)
      })
    }
    for (let isRefused = false; ; isRefused = true) {
      let exchange = await next(isRefused)
      const isAskedAgain = exchange.response === null && !isUnsent(exchange) && outgoing.method === 'GET'
      if (isAskedAgain && !given.signal.aborted) exchange = await next(isRefused)
      const { response, failure } = exchange
      if (isUnsent(exchange)) throw new Inconclusive(`${outgoing.method} ${outgoing.url} was ${failure}`)
      if (response === null) throw new Unanswered(`no complete response: ${failure}`)
      if (response.status !== 429 || outgoing.raw429) return toReply(exchange, response)
    }
  }

  return {
    send,
    /** Sends and goes on; the response is waited for with `clock.until`. */
    begin(outgoing: Outgoing): PendingEvent<Reply> {
      const comes = send({ ...outgoing, takesTime: true }, true)
      comes.catch(() => {})
      return { comes }
    },
    /**
     * Gives up all unanswered requests and sends nothing more. Call it before `release`, which wakes requests that wait
     * for a quota.
     */
    // Nobody reads the reason, but without one an error with a stack is made.
    abandon: () => given.abort(abandoned),
    reserve: quota.reserve,
    release: quota.release,
    heldUpMs: quota.heldUpMs,
  }
}

/** The response, or a failure as soon as nobody waits for it. */
function unlessGiven(answer: Promise<WireResponse>, signal: AbortSignal): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(abandoned)
    signal.addEventListener('abort', () => reject(abandoned), { once: true })
    answer.then(resolve, reject)
  })
}

function isUnsent({ failure }: Exchange): boolean {
  return failure?.startsWith(unsentPrefix) === true
}
