import type { ScenarioClock } from '../../harness/clock/types.ts'
import { lengthOf, type QueuePlan, type Stretch } from '../plan/types.ts'
import type { Point } from '../points.ts'

/** The response of a target. */
export type LoadAnswer = Omit<Point, 'operation' | 'endpoint' | 'sentMs' | 'receivedMs' | 'kind'>

/** A request, and for how long the target is asked to hold it open; 0: not at all. */
type LoadRequest = Pick<Stretch, 'operation' | 'endpoint' | 'isMissing'> & { readonly holdMs: number }

/** Sends one request. A rejection means that no complete response came. */
export type Send = (request: LoadRequest) => Promise<LoadAnswer>

interface OpenLoopOptions {
  readonly plan: QueuePlan
  readonly send: Send
  readonly clock: ScenarioClock
  /** The clock of the points. A scenario's own `now` stands still between its waits, so held requests need another. */
  readonly now?: () => number
  /** How long after the last request answers are waited for. */
  readonly patienceMs?: number
}

/** The longest that nothing is heard of a request, beyond the time it is held. */
const PATIENCE_MS = 60_000

/**
 * Sends a plan's requests at their moments, whatever became of the earlier ones, after the plan's time without any.
 * On a controlled clock the same plan and target give the same points. What is not answered in time is `transport`.
 */
export async function driveOpenLoop(options: OpenLoopOptions): Promise<Point[]> {
  const { plan, send, clock, now = () => clock.now(), patienceMs = PATIENCE_MS } = options
  const beginMs = (await clock.sleep(0)) + plan.quietMs
  const points: Point[] = []
  const pending = new Map<Promise<void>, Point>()

  for (const [dueMs, stretch] of momentsOf(plan.stretches)) {
    await clock.at(beginMs + dueMs)
    const { operation, endpoint, isMissing } = stretch
    const sentMs = now()
    const silent: Point = { operation, endpoint, sentMs, receivedMs: sentMs, status: 0, kind: 'transport' }
    const answered = send({ operation, endpoint, holdMs: plan.holdMs, ...(isMissing && { isMissing }) }).then(
      (answer) => void points.push({ ...silent, ...answer, receivedMs: now(), kind: 'answer' }),
      () => void points.push({ ...silent, receivedMs: now() }),
    )
    pending.set(answered, silent)
    void answered.then(() => pending.delete(answered))
  }

  const deadlineMs = beginMs + lengthOf(plan) + plan.holdMs + patienceMs
  await clock.until(Promise.all(pending.keys()), deadlineMs)
  for (const silent of pending.values()) points.push({ ...silent, receivedMs: now() })
  return points.sort((a, b) => a.sentMs - b.sentMs)
}

/** The moment of every request of a plan, in whole milliseconds after its beginning, in order. */
export function momentsOf(stretches: readonly Stretch[]): [number, Stretch][] {
  return stretches
    .flatMap((stretch) =>
      Array.from({ length: stretch.count }, (_, n): [number, Stretch] => [
        Math.round(stretch.startMs + n * stretch.spacingMs),
        stretch,
      ]),
    )
    .sort(([a], [b]) => a - b)
}
