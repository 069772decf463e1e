import { quotasOf, secondsLeft } from '../analyse/exceeded.ts'
import type { PodPlan } from '../plan/types.ts'
import type { Point } from '../points.ts'
import type { Step } from '../queue/steps.ts'

export type PodStep = Step<PodPlan>

/** Requests of `pod-headers`. */
const HEADERS_SAMPLE = 10
/** What is sent at most where no answer says how much the quota is. */
const UNSTATED_QUOTA = 1000
/** A window of a minute, and what its end may be late, ms. */
const LONGEST_WAIT_MS = 75_000

/**
 * The plans for the pod API, from one answer of it. The shortest window is drained: twice its quota, in case the
 * requests lie around one of its boundaries, and one more (heading Limits).
 */
export function podSteps(rules: ReadonlySet<string>, seen: Point): PodStep[] {
  const [shortest] = quotasOf([seen])
  const common = { plane: 'pods', probes: 1, earlyShare: 0.25, longestWaitMs: LONGEST_WAIT_MS } as const
  const steps: PodStep[] = [
    {
      name: 'pod-headers',
      plan: { ...common, shape: 'pod-headers', requests: HEADERS_SAMPLE, longestWaitMs: 0 },
      rules: ['limits.pods.headers-on-success'],
    },
    {
      name: 'pod-429',
      plan: {
        ...common,
        shape: 'pod-429',
        requests: shortest === undefined ? UNSTATED_QUOTA : 2 * shortest.requests + 1,
      },
      rules: [
        'limits.pods.exceeded',
        'limits.pods.retry-after',
        'limits.pods.retry-after-honest',
        'limits.pods.retry-after-needed',
      ],
    },
  ]
  return steps.filter((step) => step.rules.some((rule) => rules.has(rule)))
}

/** How long the shortest window still lasts, ms; without end where no answer says. */
export function restOfWindowMs(seen: Point): number {
  const [shortest] = quotasOf([seen])
  const seconds = shortest === undefined ? null : secondsLeft(seen, shortest.name)
  return seconds === null ? Number.POSITIVE_INFINITY : seconds * 1000
}
