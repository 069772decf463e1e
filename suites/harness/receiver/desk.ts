import type { RunClock } from '../clock/types.ts'
import { headerOf, jsonOf } from '../exchange.ts'
import { membersOf } from '../read.ts'
import { createHolds } from './holds.ts'
import { createMail, type Mail } from './mail.ts'
import { tokenOf } from './tokens.ts'
import type { Answer, Arrival, ArrivalKind, HookAnswer, Incoming, Receive } from './types.ts'

export interface DeskOptions {
  readonly run: string
  readonly seed: number
  /** Address by which the target reaches the receiver, without a slash at the end. */
  readonly url: string
  readonly clock: Pick<RunClock, 'stamp' | 'holding' | 'after'>
  readonly wallNow: () => number
  readonly record: (arrival: Arrival) => void
}

/** The receiver of a run, whichever way requests come to it: sorts them, answers, and keeps what came for each job. */
export interface Desk {
  readonly receive: Receive
  /** Takes in an arrival of a record; false where its job is not there yet. */
  replayed(arrival: Arrival): boolean
  /** Mail for the n-th job of an owner. */
  mail(owner: string, n: number, script: readonly HookAnswer[]): Mail
  /** Lets all go on that waits for a key of these jobs. */
  releaseAll(mails: readonly Mail[]): void
}

/** What a request is, before it is known when it came. */
interface Sorted {
  readonly kind: ArrivalKind
  readonly mail: Mail | null
  readonly nth: number
  readonly holds: string | null
  readonly answer: string
}

/** At most so many requests without a job are recorded; a public address is found by others too. */
const strangersKept = 100

export function createDesk({ run, seed, url, clock, wallNow, record }: DeskOptions): Desk {
  const root = tokenOf(run, seed, 'receiver')
  const mails = new Map<string, Mail>()
  const holds = createHolds()
  const executions = new Map<string, Map<string, number>>()
  const counts = new Map<string, number>()
  let arrivals = 0
  let strangers = 0

  function sort({ method, path, body }: Incoming): Sorted {
    const parts = path.replace(/\?.*$/, '').split('/')
    // A proxy in front may take the path of the address away, or leave it.
    const at = parts.indexOf(root)
    const [job = '', place, what, key = '', ...rest] = at === -1 ? [] : parts.slice(at + 1)
    const mail = rest.length === 0 ? (mails.get(job) ?? null) : null
    if (mail === null) return { ...nothing, mail: null }
    const next = (name: string) => countUp(`${job} ${name}`)
    if (place === 'webhook' && what === undefined) {
      const nth = next('webhook')
      return { kind: 'webhook', mail, nth, holds: null, answer: nameOf(scriptAt(mail, nth)) }
    }
    if (place !== 'job') return { ...nothing, mail }
    if (what === 'hold' && method === 'GET' && /^[A-Za-z0-9._-]+$/.test(key)) {
      const released = holds.isReleased(job, key)
      return { kind: 'hold', mail, nth: next(`hold ${key}`), holds: key, answer: released ? '204' : 'held' }
    }
    if (method !== 'POST' || key !== '' || (what !== 'start' && what !== 'end')) return { ...nothing, mail }
    const execution = membersOf(jsonOf(body))?.execution
    if (typeof execution !== 'string') return { ...nothing, mail, answer: '400' }
    const nth = what === 'start' ? executionOf(job, execution) : next('end')
    return { kind: what, mail, nth, holds: null, answer: '200' }
  }

  function countUp(name: string): number {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count
  }

  /** Which execution of its job this is; the same where a start is told again. */
  function executionOf(job: string, execution: string): number {
    const known = executions.get(job) ?? new Map<string, number>()
    executions.set(job, known)
    const n = known.get(execution) ?? known.size + 1
    known.set(execution, n)
    return n
  }

  async function receive(incoming: Incoming): Promise<Answer> {
    const sorted = sort(incoming)
    const call = headerOf(incoming.headers, 'plumbline-call')
    note(incoming, sorted, call)
    const { kind, mail, nth, holds: key } = sorted
    if (mail === null || kind === 'unexpected') return plain(Number(sorted.answer))
    if (kind === 'start') return json({ n: nth })
    if (kind === 'end') return json({})
    const keeping = () => (call === null ? () => {} : clock.holding(call))
    if (kind === 'hold') {
      await holds.wait(mail.token, key ?? '', incoming.signal, keeping)
      return plain(204)
    }
    return answerTo(scriptAt(mail, nth), incoming.signal, keeping)
  }

  async function answerTo(script: HookAnswer, signal: AbortSignal, keeping: () => () => void): Promise<Answer> {
    if (script === 'reset') return 'reset'
    if (typeof script === 'number') return plain(script)
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
    const { kind, mail, nth, holds: key, answer } = sorted
    if (mail === null && ++strangers > strangersKept) return
    clock.stamp((nowMs) => {
      const arrival: Arrival = {
        n: ++arrivals,
        kind,
        owner: mail?.owner ?? null,
        job: mail?.token ?? null,
        nth,
        holds: key,
        call,
        at: { target: nowMs, harness: wallNow() },
        request: { method, url: path, headers, body: mail === null ? null : body },
        answer,
      }
      record(arrival)
      mail?.take(arrival)
    })
  }

  return {
    receive,
    replayed(arrival) {
      const mail = mails.get(arrival.job ?? '')
      mail?.take(arrival)
      return mail !== undefined
    },
    mail(owner, n, script) {
      const token = tokenOf(run, seed, `${owner} ${n}`)
      const release = (key: string) => holds.release(token, key)
      const mail = createMail({ owner, token, url: `${url}/${root}/${token}`, script, release })
      mails.set(token, mail)
      return mail
    },
    releaseAll(some) {
      for (const { token } of some) holds.releaseAll(token)
    },
  }
}

const nothing = { kind: 'unexpected', nth: 1, holds: null, answer: '404' } as const

function scriptAt({ script }: Mail, nth: number): HookAnswer {
  return script[Math.min(nth, script.length) - 1] ?? 200
}

function nameOf(script: HookAnswer): string {
  if (typeof script !== 'object') return String(script)
  return 'redirect' in script
    ? `${script.status ?? 302} to ${script.redirect}`
    : `${script.status} after ${script.slowMs} ms`
}

function plain(status: number): Answer {
  return { status, headers: [], body: null }
}

function json(value: object): Answer {
  return { status: 200, headers: [['Content-Type', 'application/json']], body: JSON.stringify(value) }
}
