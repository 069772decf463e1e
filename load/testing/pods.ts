import type { ScenarioClock } from '../../harness/clock/types.ts'
import { EARLY_FROM_MS, type PodPlan } from '../plan/types.ts'
import type { Point } from '../points.ts'
import { type PodSend, podSteps } from '../scripts/lib/steps.ts'
import type { LoadAnswer } from './open-loop.ts'

interface PodDriverOptions {
  readonly plan: PodPlan
  /** Sends one request; a rejection means that no complete response came. */
  readonly send: (operation: PodSend) => Promise<LoadAnswer>
  readonly clock: ScenarioClock
  readonly now?: () => number
}

/** Drives the steps of the k6 script on a clock of the harness. */
export async function drivePods({ plan, send, clock, now = () => clock.now() }: PodDriverOptions): Promise<Point[]> {
  await clock.sleep(0)
  const points: Point[] = []
  const steps = podSteps({ ...plan, earlyFromMs: EARLY_FROM_MS }, plan.shape === 'pod-429', now)
  let last: Point | undefined
  for (let step = steps.next(last); step.done !== true; step = steps.next(last)) {
    const { value } = step
    if (typeof value !== 'string') {
      await clock.sleep(value)
      continue
    }
    const base = { operation: value, sentMs: now() }
    last = await send(value).then(
      (answer): Point => ({ ...base, ...answer, receivedMs: now(), kind: 'answer' }),
      (): Point => ({ ...base, receivedMs: now(), status: 0, kind: 'transport' }),
    )
    points.push(last)
  }
  return points
}
