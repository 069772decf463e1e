import { Refusal } from '../../reference/index.ts'
import { limited } from '../../reference/limits/limited.ts'
import { composeOptions, type ReferenceOptions } from '../../reference/options.ts'
import { rewrites429 } from '../defect.ts'

// Changes of how the reference counts and refuses requests about pods, of which defects are made.

/** Carries out these requests although it answers 429. */
export function carriesOut(isMeant: (request: Request) => boolean) {
  return (options: ReferenceOptions): ReferenceOptions => {
    let isFree = false
    const free = limited((limiter) => ({
      take(user, nowMs) {
        const reading = limiter.take(user, nowMs)
        return { ...reading, isRefused: reading.isRefused && !isFree }
      },
    }))
    return composeOptions(free(options), {
      wrapFetch: (fetch) => async (request) => {
        const copy = request.clone()
        const response = await fetch(request)
        if (response.status !== 429 || !isMeant(request)) return response
        isFree = true
        await fetch(copy)
        isFree = false
        return response
      },
    })
  }
}

/** Each 429 to this method lacks a header. */
export function lacks(method: string, header: string) {
  return rewrites429((response, request) => {
    if (request.method === method) response.headers.delete(header)
    return response
  })
}

/** Each 429 of the pod plane is another response. */
export function rewrites(rewrite: (response: Response) => Response | Promise<Response>) {
  return rewrites429((response) => (response.headers.has('ratelimit') ? rewrite(response) : response))
}

/** Each 429 of the pod plane has another RateLimit. */
export function showsRates(change: (text: string) => string) {
  return rewrites(({ body, status, headers }) => {
    const changed = new Headers(headers)
    changed.set('ratelimit', change(headers.get('ratelimit') ?? ''))
    return new Response(body, { status, headers: changed })
  })
}

export function plain(headers: Headers): Headers {
  const changed = new Headers(headers)
  changed.set('content-type', 'text/plain')
  return changed
}

/** Refuses the third request, whatever is left; each 429 says so many seconds. */
export function refusesThird(seconds: number) {
  return (options: ReferenceOptions): ReferenceOptions =>
    limited((limiter) => {
      let requests = 0
      return {
        take(user, nowMs) {
          const reading = limiter.take(user, nowMs)
          return { ...reading, isRefused: ++requests === 3 || reading.isRefused }
        },
      }
    })(waits(() => String(seconds))(options))
}

/** Another Retry-After on each 429 of the pod plane; null: none. */
export function waits(change: (seconds: number, nowMs: number) => string | null) {
  return (options: ReferenceOptions): ReferenceOptions =>
    composeOptions(options, {
      parts: {
        rateRefusal: (original) => (reading, setup) => {
          const refusal = original(reading, setup)
          const { 'retry-after': stated, ...others } = refusal.headers
          const retryAfter = change(Number(stated), options.clock.now())
          const headers = retryAfter === null ? others : { ...others, 'retry-after': retryAfter }
          return new Refusal(refusal.status, refusal.message, { errors: refusal.errors, headers })
        },
      },
    })
}
