import { createHash } from 'node:crypto'
import type { Actor } from '../clock/types.ts'
import type { Exchange, HeaderPairs, PodOperation, WireRequest, WireResponse } from '../exchange.ts'
import { headerOf } from '../exchange.ts'
import { Inconclusive } from '../outcome.ts'
import type { Tolerances } from '../target/types.ts'
import { type Transport, TransportFailure } from '../transport/types.ts'
import type { Pacer } from './pacer.ts'
import { type Reply, toReply } from './reply.ts'

/** What every request of a run goes through. */
export interface Line {
  readonly run: string
  readonly version: string
  readonly transport: Transport
  readonly tolerances: Tolerances
  readonly now: () => number
  readonly wallNow: () => number
  readonly next: () => number
  readonly pacer: (key: string | null) => Pacer | null
  readonly record: (exchange: Exchange) => void
  /** Requests in a row that had no answer, over all scenarios: the target is given up beyond a bound. */
  readonly health: { unanswered: number; everAnswered: boolean }
}

export interface Outgoing {
  readonly operation: PodOperation
  readonly subject: string | null
  readonly key: string | null
  readonly method: string
  readonly url: string
  readonly headers: HeaderPairs
  readonly body: Uint8Array | null
  /** A 429 is the answer and not waited out. */
  readonly raw429: boolean
}

/** A replayed answer says when it was once given, and as which exchange. */
export interface Recorded {
  readonly recorded?: Pick<Exchange, 'n' | 'sent' | 'received'> & { readonly failure: string | null }
}

const givenUpAfter = 8
const rateAttempts = 5

/** How one owner's requests go out. */
export interface Sender {
  /** Rejects with Inconclusive where no whole answer came. */
  send(outgoing: Outgoing): Promise<Reply>
  /** Waits until the full key's quota has room for so many requests in a row, and keeps it. */
  reserve(requests: number): Promise<void>
  /** Gives back what was reserved and not used. */
  release(): void
}

/** Sends for one owner: names run and rule, paces, waits 429s out, retries what is safe, records. */
export function createSender(line: Line, owner: string, actor: Actor): Sender {
  let sent = 0
  let reserved = 0

  async function once(outgoing: Outgoing): Promise<Exchange> {
    const request = addressed(outgoing)
    const before = { target: line.now(), harness: line.wallNow() }
    const n = line.next()
    let response: WireResponse | null = null
    let failure: string | null = null
    try {
      if (line.health.unanswered >= givenUpAfter) {
        throw new TransportFailure(
          'malformed',
          `not sent, for ${line.health.unanswered} requests in a row had no answer`,
        )
      }
      response = await actor.during(line.transport(request))
      line.health.unanswered = 0
      line.health.everAnswered = true
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error
      failure = error.message
      if (error.kind === 'unreachable' || error.kind === 'timeout' || error.kind === 'reset') line.health.unanswered++
    }
    const old = (response as (WireResponse & Recorded) | null)?.recorded
    const after = old?.received ?? { target: line.now(), harness: line.wallNow() }
    actor.seen((old?.sent ?? before).target)
    actor.seen(after.target)
    const exchange: Exchange = {
      n: old?.n ?? n,
      owner,
      operation: outgoing.operation,
      subject: outgoing.subject,
      key: outgoing.key,
      sent: old?.sent ?? before,
      received: after,
      request,
      response: old?.failure === undefined || old.failure === null ? response : null,
      failure: old?.failure ?? failure,
    }
    line.record(exchange)
    return exchange
  }

  function addressed({ method, url, headers, body }: Outgoing): WireRequest {
    const id = createHash('sha256').update(`${line.run} ${owner} ${++sent}`).digest('hex')
    return {
      method,
      url,
      headers: [
        ...headers,
        ['User-Agent', `plumbline/${line.version} (run ${line.run}; rule ${owner})`],
        ['traceparent', `00-${id.slice(0, 32)}-${id.slice(32, 48)}-01`],
      ],
      body,
    }
  }

  async function paced(outgoing: Outgoing): Promise<Exchange> {
    const pacer = line.pacer(outgoing.key)
    if (reserved > 0 && outgoing.key === 'full') reserved--
    else await take(pacer, 1)
    const exchange = await once(outgoing)
    if (exchange.response !== null) pacer?.answered(exchange.response, line.now())
    return exchange
  }

  /** True where the pacer let so many go; it is asked a few times only, for its headers may be wrong. */
  async function take(pacer: Pacer | null, requests: number): Promise<boolean> {
    for (let tries = 0; pacer !== null && tries < 3; tries++) {
      const wait = pacer.reserve(requests, line.now())
      if (wait === 0) return true
      await actor.pause(wait)
    }
    return false
  }

  async function send(outgoing: Outgoing): Promise<Reply> {
    let waited = 0
    for (let attempt = 1; ; attempt++) {
      let exchange = await paced(outgoing)
      if (exchange.response === null && outgoing.method === 'GET') exchange = await paced(outgoing)
      const { response, failure } = exchange
      if (response === null) throw new Inconclusive(`no whole answer: ${failure}`)
      if (response.status !== 429 || outgoing.raw429) return toReply(exchange, response)
      const wait = retryAfterMs(response)
      waited += wait
      if (attempt === rateAttempts || waited > line.tolerances.rateWaitMs) {
        throw new Inconclusive(
          `the target answered 429 to ${outgoing.method} ${outgoing.url} ${attempt} times; its quota does not allow this rule now`,
        )
      }
      await actor.sleep(wait)
    }
  }

  return {
    send,
    async reserve(requests) {
      if (reserved >= requests) return
      if (await take(line.pacer('full'), requests - reserved)) reserved = requests
    },
    release() {
      line.pacer('full')?.release(reserved)
      reserved = 0
    },
  }
}

function retryAfterMs(response: WireResponse): number {
  const seconds = Number(headerOf(response.headers, 'retry-after') ?? '1')
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1000) + 50 : 1_000
}
