import { Actors } from './actors.ts'
import { Participant } from './participant.ts'
import type { RunClock, Waited } from './types.ts'

/**
 * Real time: one timer for the earliest sleeper. `waited` is called with every wait that belongs in the record.
 * @param endedBy why no wait is possible
 */
export function createRealClock(waited: Waited = () => {}, endedBy: Error | null = null): RunClock {
  let timer: NodeJS.Timeout | undefined
  const actors = new Actors(arm)
  if (endedBy !== null) actors.end(endedBy)
  const clock: RunClock = {
    kind: 'real',
    controlled: false,
    now: () => Date.now(),
    actor: (name) => new Participant(name, actors, clock, waited),
    stamp: (take) => take(Date.now()),
    holding: () => () => {},
    after: (ms, run) => actors.schedule(Date.now() + ms, run),
    pending: () => actors.pending(),
    stuckActors: () => actors.stuckActors(),
    responseMs: () => null,
    eventsAtDeadlock: () => actors.eventsAtDeadlock(),
    close: () => clearTimeout(timer),
  }

  function arm(): void {
    clearTimeout(timer)
    const at = actors.earliest()
    if (at === null) return
    timer = setTimeout(
      () => {
        actors.wake(Date.now())
        arm()
      },
      Math.min(Math.max(0, at - Date.now()), 2 ** 31 - 1),
    )
  }

  return clock
}
