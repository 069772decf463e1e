import { type RateOperation, tables } from '../../generated/tables.ts'
import { createControlledClock as createScenarioClocks } from '../../harness/clock/controlled.ts'
import { createControlledClock } from '../../reference/clock/controlled.ts'
import { createOperationLimiter, type OperationLimiter } from '../../reference/limits/operation-limiter.ts'
import type { LimiterKind } from '../../reference/limits/windows.ts'
import { keepsRefusals, refusesForEver } from '../other-limits.ts'
import { FIRST_ENDPOINT } from '../plan/queue-plan.ts'
import { BY_SECOND_KEY } from '../scripts/lib/steps.ts'
import type { Send } from './open-loop.ts'

/** One change of a target that its limits do not survive. */
export interface Defect {
  /** Changes the number of requests per window, or at once. */
  readonly requests?: (requests: number) => number
  readonly concurrent?: (concurrent: number) => number
  /** The limiter that a request goes to, by default one for each endpoint and operation. */
  readonly keyOf?: (endpoint: string, operation: string) => string
  /** The status in place of 429; 0: no response. */
  readonly refusal?: number
  /** Refused requests are counted, and nothing counted is ever given back. */
  readonly countsRefusedForEver?: boolean
  /** Requests of this fate are counted as open for ever. */
  readonly keepsOpen?: 'failed' | 'refused'
}

export interface TargetOptions extends Defect {
  readonly kind?: LimiterKind
  readonly windowScale?: number
  readonly offsetMs?: number
  /** True if refused requests count, too. */
  readonly countsRefused?: boolean
  /** The longest way to the target, and the longest back; each way takes a part of it, by a seed. */
  readonly wayMs?: number
}

/** Both keys draw on one limit. */
function bothKeys(endpoint: string, operation: string): string {
  return `${endpoint === BY_SECOND_KEY ? FIRST_ENDPOINT : endpoint} ${operation}`
}

/** Limits with a defect, or, without one, as the description has them. */
export function createLimits(options: TargetOptions): (endpoint: string, operation: RateOperation) => OperationLimiter {
  const same = (number: number) => number
  const { requests = same, concurrent = same, keyOf = bothKeys, ...rest } = options
  const limiters = new Map<string, OperationLimiter>()
  const faulty = (limiter: OperationLimiter, most: number | null) => {
    if (options.countsRefusedForEver === true) return refusesForEver(limiter)
    return options.keepsOpen === 'refused' ? keepsRefusals(limiter, most ?? Number.POSITIVE_INFINITY) : limiter
  }
  return (endpoint, operation) => {
    const rate = tables.rates[operation]
    const changed = {
      ...rate,
      requests: requests(rate.requests),
      concurrent: rate.concurrent === null ? null : concurrent(rate.concurrent),
    }
    const key = keyOf(endpoint, operation)
    const limiter = limiters.get(key) ?? faulty(createOperationLimiter({ ...rest, rate: changed }), changed.concurrent)
    limiters.set(key, limiter)
    return limiter
  }
}

/** A target in process, on a clock that stands still until all that drive it wait. */
export function createVirtualTarget(options: TargetOptions, startMs = 1_767_323_045_123) {
  const { wayMs = 0 } = options
  const controlled = createControlledClock(startMs)
  const limits = createLimits(options)
  const clocks = createScenarioClocks({ kind: 'virtual', control: controlled, startMs })
  const pass = (ms: number) =>
    new Promise<void>((resolve) => void controlled.clock.schedule(controlled.clock.now() + Math.round(ms), resolve))
  let seed = 7
  const way = async () => {
    if (wayMs === 0) return
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    await pass((wayMs * seed) / 2 ** 31)
  }
  const answer: Send = async ({ operation, endpoint, holdMs, isMissing = false }) => {
    const admission = limits(endpoint, operation).admit(controlled.clock.now())
    if (!admission.admitted) {
      const { refusal = 429 } = options
      if (refusal === 0) throw new Error('the connection was reset')
      return { status: refusal, retryAfter: String(Math.ceil(admission.retryAfterMs / 1000)) }
    }
    if (holdMs > 0) await pass(holdMs)
    if (!isMissing || options.keepsOpen !== 'failed') admission.release()
    return { status: isMissing ? 404 : 200 }
  }
  const send: Send = async (request) => {
    await way()
    const answered = await answer(request)
    await way()
    return answered
  }
  return { send, clock: clocks.actor('load'), now: controlled.clock.now, close: clocks.close }
}
