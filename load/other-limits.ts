import { operations } from '../generated/operations.ts'
import { type RateOperation, tables } from '../generated/tables.ts'
import { composeOptions, defaultEndpoints, type ReferenceOptions, Refusal } from '../reference/index.ts'
import { createOperationLimiter, type OperationLimiter } from '../reference/limits/operation-limiter.ts'

// Changes of how the reference limits requests, of which defects are made.

/** The rate of an operation is another one. */
export function withRate(operation: RateOperation, rate: { readonly requests?: number; readonly concurrent?: number }) {
  return (options: ReferenceOptions): ReferenceOptions => ({
    ...options,
    endpoints: (options.endpoints ?? defaultEndpoints).map((offer) => ({
      ...offer,
      rates: { ...offer.rates, [operation]: rate },
    })),
  })
}

interface OtherLimiters {
  /** One for each key; by default for each operation of an endpoint. */
  readonly keyOf?: (endpoint: string, operation: RateOperation) => string
  /** The operation whose rate all have; by default each its own. */
  readonly like?: RateOperation
  readonly wrap?: (limiter: OperationLimiter) => OperationLimiter
  /** The limit, given what the running workers allow; by default its base alone. */
  readonly limitOf?: (base: number, workersAllow: number) => number
}

function joined(...parts: readonly string[]): string {
  return parts.join(' ')
}

/** Requests are counted by other limiters. */
export function withLimiter({
  keyOf = joined,
  like,
  wrap = (limiter) => limiter,
  limitOf = (base) => base,
}: OtherLimiters) {
  return (options: ReferenceOptions): ReferenceOptions => {
    const { limiter: kind = 'fixed-window', windowScale = 1, windowOffsetMs: offsetMs = 0 } = options.queue ?? {}
    const limiters = new Map<string, OperationLimiter>()
    return composeOptions(options, {
      parts: {
        admit:
          () =>
          (asked, endpoint, { clock, queue }) => {
            const operation = operations[asked].rate
            if (operation === null) return () => {}
            const key = keyOf(endpoint.id, operation)
            const rate = tables.rates[like ?? operation]
            const workersAllow = () => limitOf(rate.requests, queue.perWorkerRate * endpoint.workers.size)
            const setup = { rate: { ...rate, requests: 0 }, kind, windowScale, offsetMs, workersAllow }
            const limiter = limiters.get(key) ?? wrap(createOperationLimiter(setup))
            limiters.set(key, limiter)
            const admission = limiter.admit(clock.now())
            if (admission.admitted) return () => admission.release()
            throw new Refusal(429, `rate limit exceeded for ${operation}`)
          },
      },
    })
  }
}

/** Limits an operation for each key. `keyOf` returns the key of a request, or null if the request is not limited. */
export const limitsEach =
  (operation: RateOperation, keyOf: (request: Request) => string | null) =>
  (options: ReferenceOptions): ReferenceOptions => {
    const limiters = new Map<string, OperationLimiter>()
    const { limiter: kind = 'fixed-window', windowScale = 1, windowOffsetMs: offsetMs = 0 } = options.queue ?? {}
    return composeOptions(withRate(operation, { requests: 1_000_000 })(options), {
      wrapFetch: (fetch) => async (request) => {
        const key = keyOf(request)
        if (key === null) return fetch(request)
        const setup = { rate: tables.rates[operation], kind, windowScale, offsetMs }
        const limiter = limiters.get(key) ?? createOperationLimiter(setup)
        limiters.set(key, limiter)
        const admission = limiter.admit(options.clock.now())
        if (!admission.admitted) return new Response('{"error":"rate limit exceeded"}', { status: 429 })
        const response = await fetch(request)
        admission.release()
        return response
      },
    })
  }

/** Requests that fail do not give back that they were open. */
export function keepsFailedOpen(options: ReferenceOptions): ReferenceOptions {
  return keepingOpen(options, async (response, release) => {
    if (response.status < 400) release()
  })
}

/** Requests that are admitted stay open until `answered` releases one of their operation. */
export function keepingOpen(
  options: ReferenceOptions,
  answered: (response: Response, release: () => void) => Promise<void>,
): ReferenceOptions {
  const open = new Map<string, (() => void)[]>()
  return composeOptions(options, {
    parts: {
      admit: (admit) => (operation, endpoint, service) => {
        const release = admit(operation, endpoint, service)
        const key = `${endpoint.id} ${operations[operation].rate}`
        open.set(key, [...(open.get(key) ?? []), release])
        return () => {}
      },
    },
    wrapFetch: (fetch) => async (request) => {
      const [, , endpoint, operation] = new URL(request.url).pathname.split('/')
      const response = await fetch(request)
      // Which of several equal ones is released does not matter: they are counted.
      await answered(response, () => open.get(`${endpoint} ${operation}`)?.pop()?.())
      return response
    },
  })
}

/** Counts requests beyond the rate as open forever. */
export function keepsRefusals(limiter: OperationLimiter, most: number): OperationLimiter {
  let kept = 0
  return {
    admit(nowMs) {
      if (kept >= most) return { admitted: false, retryAfterMs: 1_000 }
      const admission = limiter.admit(nowMs)
      if (!admission.admitted) kept++
      return admission
    },
  }
}

/** Refuses every request after the first refusal. */
export function refusesForEver(limiter: OperationLimiter): OperationLimiter {
  let hasRefused = false
  return {
    admit(nowMs) {
      const admission = hasRefused ? { admitted: false as const, retryAfterMs: 1_000 } : limiter.admit(nowMs)
      if (!admission.admitted) hasRefused = true
      return admission
    },
  }
}

/** Every nth submission beyond the limit of run is queued, although it is refused. */
export function queuesRefused(nth: number) {
  return (options: ReferenceOptions): ReferenceOptions => {
    let refused = 0
    return composeOptions(options, {
      parts: {
        admit: (admit) => (operation, endpoint, service) => {
          try {
            return admit(operation, endpoint, service)
          } catch (refusal) {
            const policy = { lowPriority: true, ttl: tables.bounds.ttlMs.minimum }
            const submission = { input: {}, webhook: null, policy, s3Config: null }
            if (operation === 'runJob' && ++refused % nth === 0)
              service.parts.addJob(submission, 'run', endpoint, service)
            throw refusal
          }
        },
      },
    })
  }
}
