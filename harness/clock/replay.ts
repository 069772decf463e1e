import { setImmediate as nextTurn } from 'node:timers/promises'
import { ReplayMismatch, type ReplaySource } from '../record/replay-source.ts'
import { Inconclusive } from '../rule/outcome.ts'
import { Branches } from './branches.ts'
import type { Actor, RunClock, Span } from './types.ts'

/**
 * The clock of a replay: gives each owner the moments at which its waits ended. Nothing waits.
 * @param spanOf the span of an owner, as recorded: requests that were under way when a rule ended come sooner here
 */
export function createReplayClock(
  source: Pick<ReplaySource, 'wait'>,
  controlled: boolean,
  spanOf: (owner: string) => Span,
): RunClock {
  return {
    kind: 'replay',
    controlled,
    now: () => 0,
    actor: (name) => createActor(name, source, spanOf),
    stamp: (take) => take(0),
    holding: () => () => {},
    after: () => () => {},
    pending: () => [],
    stuckActors: () => [],
    responseMs: () => null,
    eventsAtDeadlock: () => null,
    close() {},
  }
}

/** Turns of the event loop after which everything that had come by the end of a wait is there. */
const turnsToCome = 100

function createActor(name: string, source: Pick<ReplaySource, 'wait'>, spanOf: (owner: string) => Span): Actor {
  let now = 0
  let waits = 0
  let look = () => {}
  const branches = new Branches()

  function seen(t: number): void {
    now = Math.max(now, t)
  }

  async function next(): Promise<boolean> {
    const { nowMs, failure, came = false } = await branches.whileOthersRun(() => source.wait(name, ++waits))
    if (failure !== undefined) throw new Inconclusive(failure)
    seen(nowMs)
    look()
    return came
  }

  async function sleep(): Promise<number> {
    await next()
    return now
  }

  return {
    name,
    now: () => now,
    sleep,
    at: sleep,
    async until(event) {
      const comes = 'comes' in event ? event.comes : event
      comes.catch(() => {})
      return (await next()) ? Promise.race([comes, missing(name)]) : null
    },
    concurrently: (all, work) => branches.concurrently(all, work),
    pause: async () => null,
    during: (work) => work,
    hold: (work) => work,
    real: (work) => work,
    join: (other) => other,
    seen,
    span: () => spanOf(name),
    watch(given) {
      look = given
    },
    done() {},
  }
}

async function missing(name: string): Promise<never> {
  for (let turn = 0; turn < turnsToCome; turn++) await nextTurn()
  throw new ReplayMismatch(`${name} waits for something that the record does not hold`)
}
