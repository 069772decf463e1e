import { jsonOf } from '../exchange/exchange.ts'
import { membersOf } from '../exchange/read.ts'
import type { Inbox } from './inbox.ts'
import type { ArrivalKind, Incoming, WebhookAnswer } from './types.ts'

/** The meaning of a request, before its moment is known. */
export interface Sorted {
  readonly kind: ArrivalKind
  readonly inbox: Inbox | null
  readonly nth: number
  readonly holds: string | null
  readonly answer: string
}

/**
 * Sorts requests to the receiver, and counts those of each job. `root`: the part of the path that all beacons of the run
 * have. `webhooks`: inboxes by the last part of the path of their webhooks.
 */
export function createSorting(
  root: string,
  inboxes: ReadonlyMap<string, Inbox>,
  webhooks: ReadonlyMap<string, Inbox>,
  isReleased: (job: string, key: string) => boolean,
): (incoming: Incoming) => Sorted {
  const executions = new Map<string, Map<string, number>>()
  const counts = new Map<string, number>()

  function sort({ method, path, body }: Incoming): Sorted {
    const segments = path.replace(/\?.*$/, '').split('/')
    const notified = webhooks.get(segments.at(-1) ?? '')
    if (notified !== undefined) {
      const nth = countUp(`${notified.token} webhook`)
      return { kind: 'webhook', inbox: notified, nth, holds: null, answer: nameOf(scriptAt(notified, nth)) }
    }
    // A proxy may remove the path of the address, or keep it.
    const at = segments.indexOf(root)
    const [job = '', place, what, key = '', ...rest] = at === -1 ? [] : segments.slice(at + 1)
    const inbox = rest.length === 0 ? inboxes.get(job) : undefined
    if (inbox === undefined) return { ...nothing, inbox: null }
    const next = (name: string) => countUp(`${job} ${name}`)
    if (place !== 'job') return { ...nothing, inbox }
    if (what === 'hold' && method === 'GET' && /^[A-Za-z0-9._-]+$/.test(key)) {
      const released = isReleased(job, key)
      return { kind: 'hold', inbox, nth: next(`hold ${key}`), holds: key, answer: released ? '204' : 'held' }
    }
    if (method !== 'POST' || key !== '' || (what !== 'start' && what !== 'end')) return { ...nothing, inbox }
    const execution = membersOf(jsonOf(body))?.execution
    if (typeof execution !== 'string') return { ...nothing, inbox, answer: '400' }
    const nth = what === 'start' ? executionOf(job, execution) : next('end')
    return { kind: what, inbox, nth, holds: null, answer: '200' }
  }

  function countUp(name: string): number {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count
  }

  /** The number of an execution of a job; a repeated start has the same number. */
  function executionOf(job: string, execution: string): number {
    const known = executions.get(job) ?? new Map<string, number>()
    executions.set(job, known)
    const n = known.get(execution) ?? known.size + 1
    known.set(execution, n)
    return n
  }

  return sort
}

const nothing = { kind: 'unexpected', nth: 1, holds: null, answer: '404' } as const

/** The response to the n-th notification of a job. */
export function scriptAt({ script }: Inbox, nth: number): WebhookAnswer {
  return script[Math.min(nth, script.length) - 1] ?? 200
}

function nameOf(script: WebhookAnswer): string {
  if (typeof script !== 'object') return String(script)
  if ('text' in script) return `${script.status} with a body`
  return 'redirect' in script
    ? `${script.status ?? 302} to ${script.redirect}`
    : `${script.status} after ${script.slowMs} ms`
}
