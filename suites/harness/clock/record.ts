import { Inconclusive } from '../outcome.ts'
import type { ClockEvent } from '../record/events.ts'
import type { Actor, RunClock } from './types.ts'

/** A wait that the record does not hold: the rules or the record are others than those of the run. */
export class ReplayMismatch extends Error {
  override readonly name = 'ReplayMismatch'
}

/** The clock of a replay: hands each owner the moments that its waits once ended at. Nothing waits. */
export function createRecordClock(events: readonly ClockEvent[], controlled: boolean): RunClock {
  const moments = new Map<string, ClockEvent[]>()
  for (const event of events) {
    const list = moments.get(event.owner)
    if (list === undefined) moments.set(event.owner, [event])
    else list.push(event)
  }
  return {
    kind: 'record',
    controlled,
    now: () => 0,
    actor: (name) => createActor(name, moments.get(name)?.values() ?? [].values()),
    pending: () => [],
    close() {},
  }
}

function createActor(name: string, moments: IterableIterator<ClockEvent>): Actor {
  let now = 0
  let started: number | null = null
  async function next(): Promise<number> {
    const { value, done } = moments.next()
    if (done === true) throw new ReplayMismatch(`${name} waits once more than in the record`)
    now = Math.max(now, value.nowMs)
    if (value.failure !== undefined) throw new Inconclusive(value.failure)
    return now
  }
  return {
    name,
    now: () => now,
    sleep: next,
    at: next,
    async until(event, deadline) {
      const reached = await next()
      return reached >= deadline ? null : event
    },
    pause: async () => {},
    during: (work) => work,
    join: (other) => other,
    seen(t) {
      started ??= t
      now = Math.max(now, t)
    },
    started: () => started,
    done() {},
  }
}
