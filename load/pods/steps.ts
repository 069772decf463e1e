import { podLoadRules } from '../../harness/rule/load-rules.ts'
import { quotasOf, remainingOf, resetMsOf } from '../analyse/exceeded.ts'
import { LoadError } from '../load-error.ts'
import { type LoadAction, type PodPlan, podRequests } from '../plan/types.ts'
import { isRefused, isServed, type Point, type Points } from '../points.ts'
import type { Step } from '../queue/steps.ts'

type PodStep = Step<PodPlan>

/** Requests of `pod-headers`. */
const HEADERS_SAMPLE = 10
/** Most requests to send if no response states the quota. */
const UNSTATED_QUOTA = 1000
/** A window must last this much longer to be drained, ms. */
const MIN_MS = 10_000
/** A window of a minute, and what its end may be late, ms. */
const LONGEST_WAIT_MS = 75_000

/** Rules that need a 429 of more operations than the list. */
const rulesOfOperations = ['limits.pods.exceeded', 'limits.pods.retry-after', 'limits.pods.rejected-not-executed']

const common = { plane: 'pods', action: null, probes: 1, earlyShare: 0.25, longestWaitMs: LONGEST_WAIT_MS } as const

/** One request that verifies address and key, and shows the quotas. */
export const podSmoke: PodStep = {
  name: 'pod-smoke',
  plan: { ...common, shape: 'pod-headers', requests: 1, longestWaitMs: 0 },
  rules: [],
}

/** The response to the request of `podSmoke`. Throws LoadError if nothing follows from it. */
export function readPodSmoke(driven: readonly { readonly points: Points }[], url: string): Point {
  const [point] = driven.flatMap(({ points }) => [...points])
  if (point !== undefined && (isServed(point) || isRefused(point))) return point
  const came = point === undefined || point.status === 0 ? 'had no response' : `was answered ${point.status}`
  throw new LoadError(
    `One request to ${url} ${came} before any load, and 200 is expected; check pods.url and keys.full of the target file.`,
  )
}

/**
 * The plans for the pod API, from one response of it. The shortest window is drained: twice its quota, in case the
 * requests lie around one of its boundaries, and one more (heading Limits). `action` is for a pod that is created.
 */
export function podSteps(rules: ReadonlySet<string>, seen: Point, action: LoadAction): PodStep[] {
  const [shortest] = quotasOf([seen])
  const drain: PodPlan = {
    ...common,
    shape: 'pod-429',
    requests: shortest ? 2 * shortest[1].quota + 1 : UNSTATED_QUOTA,
  }
  const acting: PodPlan = { ...drain, action }
  const isActing = rulesOfOperations.some((rule) => rules.has(rule)) && leavesRoom(seen, podRequests(acting))
  const steps: PodStep[] = [
    {
      name: 'pod-headers',
      plan: { ...common, shape: 'pod-headers', requests: HEADERS_SAMPLE, longestWaitMs: 0 },
      rules: ['limits.pods.headers-on-success'],
    },
    {
      name: 'pod-429',
      plan: isActing ? acting : drain,
      // Its headers are judged too, but no quota is used up for that alone.
      rules: podLoadRules.some((rule) => rules.has(rule)) ? [...podLoadRules, 'limits.pods.headers-on-success'] : [],
    },
  ]
  return steps.filter((step) => step.rules.some((rule) => rules.has(rule)))
}

/** True if the longer windows have room for the whole plan: a pod that was created must be removed after the drain. */
function leavesRoom(seen: Point, requests: number): boolean {
  const [, ...longer] = quotasOf([seen])
  return longer.every(([name]) => (remainingOf(seen, name) ?? 0) > requests + HEADERS_SAMPLE)
}

/** How long to wait before the shortest window is drained, ms: it must last long enough to be drained in one part. */
export function waitBeforeDrainMs(seen: Point, nowMs: number): number {
  const [shortest] = quotasOf([seen])
  const resetMs = shortest === undefined ? null : resetMsOf(seen, shortest[0])
  if (resetMs === null) return 0
  const restMs = seen.receivedMs + resetMs - nowMs
  return isRefused(seen) || restMs < MIN_MS ? Math.max(0, restMs) + 1000 : 0
}
