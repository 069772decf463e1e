import { createHash } from 'node:crypto'
import type { RunClock } from '../clock/types.ts'
import { headerOf } from '../exchange/exchange.ts'
import { createHolds } from './holds.ts'
import { createInbox, type Inbox } from './inbox.ts'
import { createSorting, type Sorted, scriptAt } from './sorting.ts'
import type { Answer, Arrival, Incoming, WebhookAnswer } from './types.ts'

interface ReceiverOptions {
  readonly runId: string
  readonly seed: number
  /** Address at which the target reaches the receiver, without a slash at the end. */
  readonly url: string
  readonly clock: Pick<RunClock, 'stamp' | 'holding' | 'after'>
  readonly wallNow: () => number
  readonly record: (arrival: Arrival) => void
}

/**
 * The receiver of a run: sorts requests, responds, and keeps the arrivals of each job. Requests may come over HTTP or
 * in process.
 */
export type Receiver = ReturnType<typeof createReceiver>

/** Most requests without a job that are recorded: strangers find a public address too. */
const strangersKept = 100

export function createReceiver({ runId, seed, url, clock, wallNow, record }: ReceiverOptions) {
  const root = tokenOf(runId, seed, 'receiver')
  const inboxes = new Map<string, Inbox>()
  /** The same inboxes, by the last part of the URL of their webhook. */
  const webhooks = new Map<string, Inbox>()
  const holds = createHolds()
  const sort = createSorting(root, inboxes, webhooks, holds.isReleased)
  let arrivals = 0
  let strangers = 0

  async function receive(incoming: Incoming): Promise<Answer> {
    const sorted = sort(incoming)
    const call = headerOf(incoming.headers, 'plumbline-call')
    note(incoming, sorted, call)
    const { kind, inbox, nth, holds: key } = sorted
    if (inbox === null || kind === 'unexpected') return plain(Number(sorted.answer))
    if (kind === 'start') return json({ n: inbox.numberOf(nth) })
    if (kind === 'end') return json({})
    const keeping = () => (call === null ? () => {} : clock.holding(call))
    if (kind === 'hold') {
      await holds.wait(inbox.token, key ?? '', incoming.signal, keeping)
      return plain(204)
    }
    return answerTo(scriptAt(inbox, nth), incoming.signal, keeping)
  }

  async function answerTo(script: WebhookAnswer, signal: AbortSignal, keeping: () => () => void): Promise<Answer> {
    if (script === 'reset') return 'reset'
    if (typeof script === 'number') return plain(script)
    if (script !== 'silence' && 'text' in script) {
      return { status: script.status, headers: [['Content-Type', 'text/plain']], body: script.text }
    }
    if (script !== 'silence' && 'redirect' in script) {
      return { status: script.status ?? 302, headers: [['Location', script.redirect]], body: null }
    }
    const end = keeping()
    const { promise, resolve } = Promise.withResolvers<void>()
    const callOff = script === 'silence' ? () => {} : clock.after(script.slowMs, resolve)
    signal.addEventListener('abort', end, { once: true })
    signal.addEventListener('abort', callOff, { once: true })
    await promise
    end()
    return plain(script === 'silence' ? 200 : script.status)
  }

  function note({ method, path, headers, body }: Incoming, sorted: Sorted, call: string | null): void {
    const { kind, inbox, nth, holds: key, answer } = sorted
    if (inbox === null && ++strangers > strangersKept) return
    clock.stamp((nowMs) => {
      const arrival: Arrival = {
        n: ++arrivals,
        kind,
        owner: inbox?.owner ?? null,
        job: inbox?.token ?? null,
        nth,
        holds: key,
        call,
        at: { target: nowMs, harness: wallNow() },
        request: { method, url: path, headers, body: inbox === null ? null : body },
        answer,
      }
      record(arrival)
      inbox?.take(arrival)
    })
  }

  return {
    receive,
    /** Takes an arrival of a record; false if its job is not there yet. */
    replayed(arrival: Arrival): boolean {
      const inbox = inboxes.get(arrival.job ?? '')
      inbox?.take(arrival)
      return inbox !== undefined
    },
    /** The inbox of the n-th job of an owner. */
    inbox(owner: string, n: number, script: readonly WebhookAnswer[]): Inbox {
      const token = tokenOf(runId, seed, `${owner} ${n}`)
      const release = (key: string) => holds.release(token, key)
      const holdAgain = (key: string) => holds.holdAgain(token, key)
      // Short, because a platform may bound the length of webhook URLs.
      const webhook = tokenOf(runId, seed, `${owner} ${n} webhook`, 'base64url')
      const urls = { beaconUrl: `${url}/${root}/${token}/job`, webhookUrl: `${url}/${webhook}` }
      const inbox = createInbox({ owner, token, ...urls, script, release, holdAgain })
      inboxes.set(token, inbox)
      webhooks.set(webhook, inbox)
      return inbox
    },
    /** Releases everything that waits for a key of these jobs; default: of all. */
    releaseAll(some: Iterable<Inbox> = inboxes.values()): void {
      for (const { token } of some) holds.releaseAll(token)
    },
  }
}

function plain(status: number): Answer {
  return { status, headers: [], body: null }
}

function json(value: object): Answer {
  return { status: 200, headers: [['Content-Type', 'application/json']], body: JSON.stringify(value) }
}

/** A name that cannot be guessed without run and seed, and that a replay makes again from them: 128 bits as hex. */
function tokenOf(runId: string, seed: number, what: string, encoding: 'hex' | 'base64url' = 'hex'): string {
  const digest = createHash('sha256').update(`${runId} ${seed} ${what}`).digest(encoding)
  return digest.slice(0, encoding === 'hex' ? 32 : 22)
}
