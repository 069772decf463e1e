import { type List, parseList } from 'structured-headers'
import { memoizeTexts } from '../common/memoize.ts'
import { headerList, headerOf, type WireResponse } from '../exchange/exchange.ts'

/** One rate window as a response shows it; all times in ms. */
export interface RateWindow {
  readonly name: string
  /** Requests left, r. */
  readonly remaining: number
  /** Time until the window resets, t: until it gives back all requests or one, or ends. */
  readonly resetMs: number
  /** Requests that it grants in `lengthMs`, q and w of RateLimit-Policy; null if the target does not report them. */
  readonly policy: RatePolicy | null
}

export interface RatePolicy {
  readonly quota: number
  readonly lengthMs: number
}

/** The windows of a RateLimit header, `"minute";r=50;t=12, …`, with their policies; empty if it cannot be read. */
export function windowsOf(response: Pick<WireResponse, 'headers'>): RateWindow[] {
  const policies = policiesOf(response)
  return rateItems(response, 'ratelimit').flatMap(({ name, parameters }) => {
    const remaining = Number(parameters.get('r'))
    const resetMs = Number(parameters.get('t')) * 1000
    if (!Number.isFinite(remaining) || !Number.isFinite(resetMs)) return []
    return [{ name, remaining, resetMs: Math.max(0, resetMs), policy: policies.get(name) ?? null }]
  })
}

/** The windows of RateLimit-Policy, `"minute";q=60;w=60, …`, by name. */
export function policiesOf(response: Pick<WireResponse, 'headers'>): ReadonlyMap<string, RatePolicy> {
  return new Map(
    rateItems(response, 'ratelimit-policy').flatMap(({ name, parameters }) => {
      const quota = Number(parameters.get('q'))
      const lengthMs = Number(parameters.get('w')) * 1000
      return quota >= 1 && lengthMs > 0 ? [[name, { quota, lengthMs }] as const] : []
    }),
  )
}

/** Retry-After in ms; null if it is missing or not a number of seconds. */
export function retryAfterMs(response: WireResponse): number | null {
  const text = headerOf(response.headers, 'retry-after')
  const seconds = text === null ? Number.NaN : Number(text)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1000) : null
}

/**
 * The wait that a 429 asks for, ms: Retry-After, or the last reset of a window that is used up; null if it states
 * neither.
 */
export function statedWaitMs(response: WireResponse): number | null {
  const resets = windowsOf(response).flatMap(({ remaining, resetMs }) => (remaining > 0 ? [] : [resetMs]))
  return retryAfterMs(response) ?? (resets.length === 0 ? null : Math.max(...resets))
}

/** The members of RateLimit or RateLimit-Policy with their parameters; empty if the header cannot be read. */
export function rateItems(response: Pick<WireResponse, 'headers'>, header: string) {
  const text = headerList(response.headers, header)
  const list = text === null ? null : structuredList(text)
  return (list ?? []).map(([item, parameters]) => ({ name: String(item), parameters }))
}

/** The pacer and several rules read the same few headers of a response. */
const keptTexts = 64

/** A header as a structured-field list, read strictly; null if it is not one. */
export const structuredList: (text: string) => List | null = memoizeTexts((text) => {
  try {
    return parseList(text)
  } catch {
    return null
  }
}, keptTexts)
