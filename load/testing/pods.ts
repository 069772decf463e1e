import type { ScenarioClock } from '../../harness/clock/types.ts'
import { EARLY_FROM_MS, type PodPlan } from '../plan/types.ts'
import type { Point } from '../points.ts'
import type { LoadAnswer } from './open-loop.ts'

export interface PodDriverOptions {
  readonly plan: PodPlan
  /** Sends one request that reads; a rejection means that no whole answer came. */
  readonly send: () => Promise<LoadAnswer>
  readonly clock: ScenarioClock
  readonly now?: () => number
}

/**
 * One request after the other. pod-429: until one is refused, then one that is early, then the wait that the last
 * Retry-After states, then the probes; where the stated wait is too long, or cannot be read, nothing more is sent.
 */
export async function drivePods({ plan, send, clock, now = () => clock.now() }: PodDriverOptions): Promise<Point[]> {
  await clock.sleep(0)
  const points: Point[] = []
  const request = async (): Promise<Point> => {
    const sentMs = now()
    const base = { operation: 'pods', sentMs }
    const point = await send().then(
      (answer): Point => ({ ...base, ...answer, receivedMs: now(), kind: 'answer' }),
      (): Point => ({ ...base, receivedMs: now(), status: 0, kind: 'transport' }),
    )
    points.push(point)
    return point
  }

  for (let n = 0; n < plan.requests; n++) {
    const { status, retryAfter } = await request()
    if (plan.shape !== 'pod-429' || status !== 429) continue
    let waitMs = statedWaitMs(retryAfter ?? null, now())
    if (waitMs === null || waitMs > plan.longestWaitMs) break
    if (plan.earlyShare > 0 && waitMs >= EARLY_FROM_MS) {
      const earlyMs = Math.floor(waitMs * plan.earlyShare)
      await clock.sleep(earlyMs)
      const early = await request()
      const anewMs = early.status === 429 ? statedWaitMs(early.retryAfter ?? null, now()) : null
      waitMs = anewMs ?? waitMs - earlyMs
      if (waitMs > plan.longestWaitMs) break
    }
    await clock.sleep(waitMs)
    for (let probe = 0; probe < plan.probes; probe++) await request()
    break
  }
  return points
}

/** How long Retry-After asks to wait, read leniently: the judge says whether its form is right. */
function statedWaitMs(retryAfter: string | null, nowMs: number): number | null {
  if (retryAfter === null) return null
  const seconds = Number(retryAfter)
  if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds * 1000))
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
