import { operations } from '../../generated/operations.ts'
import type { RuleId } from '../../generated/rules.ts'
import { type Exchange, type PodOperation, unrecorded } from '../../harness/exchange/exchange.ts'
import type { TakeUnrecorded } from '../../harness/run/invariants.ts'
import type { Point, Points } from '../points.ts'
import { BODY_CHARACTERS } from '../scripts/lib/steps.ts'

/** Invariants that judge a request by its status and its rate headers. */
const ofHeaders = [
  'limits.pods.bounds',
  'limits.pods.counts-down',
  'limits.pods.headers-on-success',
  'limits.pods.headers-syntax',
  'limits.pods.no-early-429',
  'limits.pods.resets',
  'limits.pods.structured',
  'limits.pods.windows',
] as const satisfies readonly RuleId[]

/** Invariants that judge an error by its whole body and its media type. */
const ofErrors = [
  'errors.problem.media-type',
  'errors.problem.shape',
  'errors.problem.status',
] as const satisfies readonly RuleId[]

/** The rules of `check` that judge the requests of a load on the pod API as well. */
export const podPointRules: readonly RuleId[] = [...ofHeaders, ...ofErrors]

/** Those that a load alone exercises. It is too short for `limits.pods.resets`, and judges `headers-on-success` itself. */
export const loadAloneRules = podPointRules.filter(
  (id) => id !== 'limits.pods.resets' && id !== 'limits.pods.headers-on-success',
)

/** Gives requests to the pod API to the invariants, as far as the script recorded them. */
export function givePoints(points: Points, take: TakeUnrecorded): void {
  for (const point of [...points].sort((a, b) => a.receivedMs - b.receivedMs)) {
    if (point.rateLimit === undefined) continue
    const { body = null, contentType, status } = point
    const isWhole = status >= 400 && contentType !== undefined && body !== null && body.length < BODY_CHARACTERS
    take(exchangeOf(point), new Set(isWhole ? podPointRules : ofHeaders))
  }
}

/** Operations by the names that points have for them. Of an action on the pod no rule here looks at more than that it is one. */
const operationsOfPoints: Readonly<Record<string, PodOperation>> = {
  pods: 'listPods',
  createPod: 'createPod',
  getPod: 'getPod',
  updatePod: 'updatePod',
  act: 'triggerPodAction',
  deletePod: 'deletePod',
}

/** The operation of a point. */
export function operationOf({ operation }: Point): PodOperation {
  return operationsOfPoints[operation] ?? 'listPods'
}

function exchangeOf(point: Point): Exchange {
  const { kind, status, sentMs, receivedMs, body } = point
  const operation = operationOf(point)
  const lines = {
    'content-type': point.contentType,
    'retry-after': point.retryAfter,
    ratelimit: point.rateLimit,
    'ratelimit-policy': point.rateLimitPolicy,
  }
  const headers = Object.entries(lines).filter((line): line is [string, string] => typeof line[1] === 'string')
  const isAnswered = kind === 'answer'
  return {
    n: unrecorded,
    owner: 'load',
    operation,
    subject: null,
    key: 'full',
    sent: { target: sentMs, harness: sentMs },
    received: { target: receivedMs, harness: receivedMs },
    request: { method: operations[operation].method, url: '', headers: [], body: null },
    response: isAnswered ? { status, headers, body: new TextEncoder().encode(body ?? '') } : null,
    failure: isAnswered ? null : 'no complete response',
  }
}
