import type { PendingEvent } from '../clock/types.ts'
import type { Arrival, ArrivalKind, Beacon, Webhook, WebhookAnswer } from './types.ts'

/** The arrivals of one job, and the responses to its notifications. */
export type Inbox = ReturnType<typeof createInbox>

interface InboxOptions {
  readonly owner: string
  readonly token: string
  /** Address of the job's beacon. */
  readonly beaconUrl: string
  readonly webhookUrl: string
  /** Responses to its notifications in order; the last one repeats. */
  readonly script: readonly WebhookAnswer[]
  readonly release: (key: string) => void
  readonly holdAgain: (key: string) => void
}

export function createInbox({ owner, token, beaconUrl, webhookUrl, script, release, holdAgain }: InboxOptions) {
  const arrivals: Arrival[] = []
  const awaited = new Map<string, { readonly comes: Promise<Arrival>; readonly came: (arrival: Arrival) => void }>()
  let seen = 0
  let isFirstRepeated = false

  function pending(name: string): PendingEvent<Arrival> {
    const known = awaited.get(name)
    if (known !== undefined) return known
    const { promise, resolve } = Promise.withResolvers<Arrival>()
    const entry = { comes: promise, came: resolve }
    awaited.set(name, entry)
    const early = arrivals.find((arrival) => nameOf(arrival) === name)
    if (early !== undefined) resolve(early)
    return entry
  }

  const shown = (kind: ArrivalKind) => arrivals.slice(0, seen).filter((arrival) => arrival.kind === kind)
  return {
    owner,
    token,
    script,
    beacon: {
      url: beaconUrl,
      started: (n = 1) => pending(`start ${n}`),
      ended: (n = 1) => pending(`end ${n}`),
      waiting: (key, n = 1) => pending(`hold ${n} ${key}`),
      release,
      holdAgain,
      repeatFirst(isRepeated) {
        isFirstRepeated = isRepeated
      },
      executions: () => firstOfEach(shown('start')),
      ends: () => shown('end'),
    } satisfies Beacon,
    webhook: {
      url: webhookUrl,
      attempt: (n = 1) => pending(`webhook ${n}`),
      attempts: () => shown('webhook'),
    } satisfies Webhook,
    /** True once an execution has reported its start. */
    hasStarted: (): boolean => arrivals.some(({ kind }) => kind === 'start'),
    /** The number that the worker gets for its n-th execution. */
    numberOf: (nth: number): number => (isFirstRepeated ? 1 : nth),
    take(arrival: Arrival): void {
      arrivals.push(arrival)
      awaited.get(nameOf(arrival))?.came(arrival)
    },
    /** Makes all arrivals so far visible. */
    look(): void {
      seen = arrivals.length
    },
  }
}

/** Starts without repeated reports of the same execution. */
function firstOfEach(starts: readonly Arrival[]): Arrival[] {
  return starts.filter(({ nth }, place) => starts.findIndex((start) => start.nth === nth) === place)
}

function nameOf({ kind, nth, holds }: Arrival): string {
  return holds === null ? `${kind} ${nth}` : `${kind} ${nth} ${holds}`
}
