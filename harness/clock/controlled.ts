import { setImmediate as nextTurn } from 'node:timers/promises'
import { once } from '../common/memoize.ts'
import { pluralize } from '../common/pluralize.ts'
import { Inconclusive } from '../rule/outcome.ts'
import { Actors } from './actors.ts'
import { Participant } from './participant.ts'
import { createClockPatience } from './patience.ts'
import { watchClock } from './state.ts'
import type { ClockControl, ClockKind, ClockState, RunClock, Waited } from './types.ts'

export interface ControlledClockOptions {
  readonly kind: Extract<ClockKind, 'virtual' | 'remote'>
  readonly control: ClockControl
  readonly startMs: number
  /** Called with every wait that belongs in the record. */
  readonly waited?: Waited
  /** Called the first time that the clock advances although a response that should take no time is missing. */
  readonly onLateResponse?: () => void
  /** Real ms over a network after which a response counts as one that takes time. */
  readonly lateResponseMs?: number
  /** Number of steps after which a wait blames the target's own timers. */
  readonly stepBudget?: number
  /** Real ms for which the target may be busy with a call that Plumbline never received. */
  readonly busyLimitMs?: number
}

/** Time cannot move now: the target is busy with a call that Plumbline never received. */
class Unrest extends Inconclusive {}

/** One wait took too many steps; a shorter one may end. */
class TooManySteps extends Inconclusive {}

/**
 * A clock that moves only when every scenario waits: in steps, to the earliest moment that scenarios or target wait
 * for. It moves only while each call of the target is kept unanswered here, and while the target has received each
 * unanswered request. In process and over HTTP the code is the same; only `control` differs (`docs/clock.md`). Once
 * `control` has failed, every wait ends as inconclusive, with the same reason.
 */
export function createControlledClock(options: ControlledClockOptions): RunClock {
  const { kind, control, waited = () => {}, stepBudget = 50_000, busyLimitMs = 30_000 } = options
  const patience = createClockPatience(kind, options.lateResponseMs)
  const reportLate = once(options.onLateResponse ?? (() => {}))
  const watch = watchClock(options.startMs)
  const calls = new Map<string, number>()
  const unstamped: ((nowMs: number) => void)[] = []
  let now = options.startMs
  /** Real time that responses of the clock took, and their number. */
  let spentMs = 0
  let responses = 0
  let moving = false
  let stepping = false
  let changed = false
  let closed = false
  /** True if time could not be moved, and has not moved since. */
  let isStuck = false
  /** Number of requests begun when all were last seen to have arrived. */
  let arrived = 0
  const actors = new Actors(
    () => {
      changed = true
      patience.interrupt()
      void step()
    },
    () => (moving ? new Promise((resolve) => clock.stamp(() => resolve())) : null),
  )
  const clock: RunClock = {
    kind,
    controlled: true,
    now: () => now,
    actor: (name) => new Participant(name, actors, clock, waited),
    stamp(take) {
      if (moving) unstamped.push(take)
      else arrive(take)
    },
    holding(call) {
      count(call, 1)
      return once(() => count(call, -1))
    },
    after: (ms, run) => actors.schedule(now + ms, run),
    pending: () => actors.pending(),
    stuckActors: () => actors.stuckActors(),
    responseMs: () => (responses === 0 ? null : spentMs / responses),
    eventsAtDeadlock: () => actors.eventsAtDeadlock(),
    close() {
      closed = true
      patience.interrupt()
    },
  }

  async function step(): Promise<void> {
    if (stepping || closed || actors.endedBy !== null) return
    stepping = true
    changed = false
    try {
      await steps()
    } catch (error) {
      fail(error)
    } finally {
      stepping = false
      // The last look did not see actors that came to rest while it was under way.
      if (changed) void step()
    }
  }

  /** A fault that passes ends the present waits; any other fault ends all later ones too. */
  function fail(error: unknown): void {
    if (error instanceof TooManySteps || (error instanceof Unrest && !isStuck)) actors.fail(error)
    else if (error instanceof Inconclusive) actors.end(error)
    else actors.end(new Inconclusive(`the clock of the target failed: ${reason(error)}`))
    isStuck = error instanceof Unrest
  }

  async function steps(): Promise<void> {
    let taken = 0
    let restless: { readonly sinceMs: number; looks: number } | null = null
    while (!closed && (await stillIdle())) {
      changed = false
      const wake = actors.earliest()
      if (wake === null && actors.unanswered() === 0) return
      if (actors.unanswered() === 0) arrived = actors.asked
      else if (actors.asked !== arrived) {
        const { asked } = actors
        if (!(await patience.wait(actors.isAsking() ? 'response' : 'arrival'))) continue
        arrived = asked
      }
      const state = watch.seen(await timed(control.state()))
      now = Math.max(now, state.nowMs)
      // If an actor has gone on meanwhile, the state is out of date.
      if (changed) continue
      if (!atRest(state)) {
        // The bound of a command is its own.
        if (actors.commands > 0) restless = null
        restless ??= { sinceMs: performance.now(), looks: 0 }
        if (performance.now() - restless.sinceMs > busyLimitMs) throw new Unrest(unrest(state))
        await patience.look(++restless.looks)
        continue
      }
      restless = null
      if (++taken > stepBudget) throw new TooManySteps(restlessTimers(stepBudget))
      const due = state.nextMs
      if (wake !== null && wake <= now && (due === null || due > now)) {
        actors.wake(now)
        taken = 0
      } else if (wake !== null || due !== null) {
        if (actors.isAsking()) reportLate()
        await move(Math.max(0, Math.ceil((wake ?? due ?? now) - now)))
      } else {
        if (!(await patience.wait('nothing')) || actors.commands > 0) continue
        actors.giveUp('the target has not answered, and nothing is due on its clock')
        return
      }
    }
  }

  async function timed(response: ReturnType<ClockControl['state']>): Promise<ClockState> {
    const fromMs = performance.now()
    const state = await response
    spentMs += performance.now() - fromMs
    responses++
    return state
  }

  async function move(ms: number): Promise<void> {
    moving = true
    try {
      const reached = watch.moved(ms, await timed(control.advance(ms)))
      now = Math.max(now, reached.nowMs)
      isStuck = false
    } finally {
      moving = false
      for (const take of unstamped.splice(0)) arrive(take)
    }
  }

  function arrive(take: (nowMs: number) => void): void {
    take(now)
    actors.changed()
  }

  /** Code after a settled promise runs within two turns of the event loop. */
  async function stillIdle(): Promise<boolean> {
    for (let turn = 0; turn < 2; turn++) {
      if (!actors.isIdle()) return false
      await nextTurn()
    }
    return actors.isIdle()
  }

  function atRest({ busy, open }: ClockState): boolean {
    return open >= actors.unanswered() && busy.every((id) => calls.has(id))
  }

  function unrest({ busy, open }: ClockState): string {
    const away = busy.filter((id) => !calls.has(id))
    const waits = `for ${busyLimitMs / 1000} s time could not be moved`
    const more = away.length > shownIds ? ` and ${away.length - shownIds} more` : ''
    if (away.length > 0)
      return `${waits}: the target reports ${away.slice(0, shownIds).join(', ')}${more}, which Plumbline never received; one run alone may use the clock`
    return `${waits}: ${pluralize(actors.unanswered(), 'unanswered request')}, and the target says that it has ${open} open`
  }

  function count(call: string, by: number): void {
    const sum = (calls.get(call) ?? 0) + by
    if (sum > 0) calls.set(call, sum)
    else calls.delete(call)
    actors.changed()
  }

  return clock
}

/** Ids in a message. */
const shownIds = 5

function restlessTimers(steps: number): string {
  return `the target's clock needed more than ${steps} steps for one wait; timers that repeat should not be due while nothing happens`
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
