import type { RunClock } from '../clock/types.ts'
import { lengthOf } from '../common/length.ts'
import { Stalled, Unverified } from '../rule/outcome.ts'
import type { Session } from './session.ts'

interface GuardOptions {
  readonly session: Pick<Session, 'running' | 'cut' | 'waits'>
  readonly clock: Pick<RunClock, 'stuckActors' | 'eventsAtDeadlock' | 'pending' | 'responseMs'>
  /** Real ms from now until rules without a verdict are ended; null for no end. */
  readonly endsMs: number | null
  /** The budget of the run, ms; for the reason of what it ends. */
  readonly budgetMs: number | null
  /** Real ms without any event after which a rule is ended. */
  readonly stallMs?: number
}

/** Number of looks within the time of a stall. */
const looks = 30

const longestTimerMs = 2 ** 31 - 1

/**
 * Ends rules that would never end: those that await something that is neither a request nor a wait of the clock, and
 * those that are not done when the time of the run is over. The returned function stops the guard.
 */
export function guardRun({ session, clock, endsMs, budgetMs, stallMs = 30_000 }: GuardOptions): () => void {
  let seen = new Map<object, { readonly moves: number; readonly times: number }>()
  let calm = { moves: -1, times: 0 }

  /** Looks at each actor: on a controlled clock one that stands still holds up all others. */
  function look(): void {
    const now = new Map<object, { readonly moves: number; readonly times: number }>()
    for (const actor of clock.stuckActors()) {
      const last = seen.get(actor)
      const times = last?.moves === actor.moves ? last.times + 1 : 1
      if (times < looks) now.set(actor, { moves: actor.moves, times })
      else if (session.running.has(actor.name)) session.cut(stalled(actor.name, stallMs), [actor.name])
      else actor.done()
    }
    seen = now
    const moves = clock.eventsAtDeadlock()
    calm = moves === null ? { moves: -1, times: 0 } : { moves, times: calm.moves === moves ? calm.times + 1 : 1 }
    if (calm.times < looks) return
    calm = { moves: -1, times: 0 }
    const waiting = clock.pending().filter(({ name, until }) => until === null && session.running.has(name))
    for (const { name } of waiting) session.cut(stalled(name, stallMs), [name])
  }

  const looking = setInterval(look, stallMs / looks)
  const reason = () =>
    `not done within the budget of ${lengthOf(budgetMs ?? 0)}${slowness(clock.responseMs())}${quotaWait(session.waits())}`
  let ending: NodeJS.Timeout | undefined
  /** A time beyond the longest possible timer is set again. */
  function endIn(ms: number): void {
    const next = Math.min(Math.max(0, ms), longestTimerMs)
    ending = setTimeout(() => {
      if (ms > next) endIn(ms - next)
      else session.cut(new Unverified(reason()))
    }, next)
    ending.unref()
  }
  if (endsMs !== null) endIn(endsMs)
  looking.unref()
  return () => {
    clearInterval(looking)
    clearTimeout(ending)
  }
}

/** Real ms per response of a clock beyond which a run mainly waits for the clock. */
const slowMs = 1_000

function slowness(responseMs: number | null): string {
  return responseMs === null || responseMs < slowMs ? '' : `, since clock.url takes ${lengthOf(responseMs)} to answer`
}

function quotaWait(limit: string | null): string {
  return limit === null ? '' : `; requests waited for a quota: ${limit}`
}

function stalled(rule: string, stallMs: number): Stalled {
  return new Stalled(`${rule} waits for something that can never come: nothing happened for ${lengthOf(stallMs)}`)
}
