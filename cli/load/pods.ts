import { createDirect } from '../../harness/client/direct.ts'
import { createRealClock } from '../../harness/clock/real.ts'
import { headerOf, isSuccess } from '../../harness/exchange/exchange.ts'
import { pods as plane } from '../../harness/planes/pods/plane.ts'
import { judgeStep } from '../../load/judge-step.ts'
import { noFills } from '../../load/k6/script-plan.ts'
import { podSteps, restOfWindowMs } from '../../load/pods/steps.ts'
import type { Point } from '../../load/points.ts'
import type { PodPlane, Target } from '../../target/types.ts'
import { UsageError } from '../errors.ts'
import { aborted } from '../interrupt.ts'
import type { Terminal } from '../terminal.ts'
import { selectLoad } from './select.ts'
import { type LoadOptions, type LoadSession, runSession } from './session.ts'

/** Rest of a window that is enough to drain it, ms. */
const FEWEST_MS = 10_000

/** Drains the shortest window of the pod API with reads, and judges its 429. */
export async function loadPods(options: LoadOptions, target: Target, terminal: Terminal): Promise<number> {
  const { pods } = target
  if (pods === null) throw new UsageError('the target file has no pod API; add pods: https://HOST')
  const selection = selectLoad('pods', target, options)
  const clock = createRealClock()
  const actor = clock.actor('load')
  try {
    return await runSession({
      kind: 'pods',
      options,
      target,
      selection,
      terminal,
      async conduct(session) {
        const seen = await lookAt(pods, target.keys.full ?? '', session)
        session.see(seen)
        const steps = podSteps(selection.claimed, seen)
        const requests = { pods: { method: 'GET', path: pods.paths.listPods, body: null } }
        const drive = await session.driver(steps, requests, { first: pods.url })
        // A window that is nearly over would be drained in two parts.
        const restMs = restOfWindowMs(seen)
        if (restMs < FEWEST_MS) await Promise.race([actor.sleep(restMs + 1000), aborted(session.signal)])
        session.progress.planned(steps)
        for (const step of steps) {
          session.signal.throwIfAborted()
          session.progress.began(step)
          const driven = await drive(step, noFills)
          session.progress.judged(judgeStep({ ...driven, step, rules: selection.claimed, queue: null, health: [] }))
        }
        return new Map()
      },
    })
  } finally {
    actor.done()
    clock.close()
  }
}

/** One request that verifies address and key, and shows the quotas. */
async function lookAt(section: PodPlane, token: string, { transport, userAgent }: LoadSession): Promise<Point> {
  const send = createDirect({ transport, userAgent, plane, section, token })
  const { status, headers } = await send('listPods')
  if (!isSuccess(status)) {
    throw new UsageError(
      `${section.url + section.paths.listPods} answered ${status} instead of 200 before any load; check pods.url and keys.full of the target file`,
    )
  }
  const rateLimit = headerOf(headers, 'ratelimit') ?? null
  const rateLimitPolicy = headerOf(headers, 'ratelimit-policy') ?? null
  return { operation: 'pods', sentMs: 0, receivedMs: 0, status, kind: 'answer', rateLimit, rateLimitPolicy }
}
