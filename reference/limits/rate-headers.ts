import { Refusal } from '../http/refusal.ts'
import type { Style } from '../style.ts'
import type { LimitReading, LimitWindow, WindowReading } from './limiter.ts'

/** How limits are shown. */
export interface RateSetup {
  readonly style: Style
  /** The value of RateLimit-Policy. */
  readonly ratePolicy: string
}

const SPACING = {
  space: { list: ', ', parameter: ';' },
  none: { list: ',', parameter: ';' },
  wide: { list: ' , ', parameter: '; ' },
} as const

/** RateLimit and RateLimit-Policy: structured-field lists with an item for each window (heading Limits). */
export function rateHeaders({ windows }: LimitReading, { style, ratePolicy }: RateSetup): Record<string, string> {
  const items = windows.map(({ name, remaining, resetSeconds, nextSeconds }) => {
    // A sliding counter may need longer than until its window ends to give one back.
    const reset = style.rateReset === 'next' ? Math.min(resetSeconds, nextSeconds) : resetSeconds
    return renderItem(name, `r=${remaining}`, `t=${reset}`, style)
  })
  return { ratelimit: renderList(items, style), 'ratelimit-policy': ratePolicy }
}

/** RateLimit-Policy, which stays the same for the life of a reference. */
export function renderPolicy(windows: readonly LimitWindow[], style: Style): string {
  const items = windows.map(({ name, quota, seconds }) => renderItem(name, `q=${quota}`, `w=${seconds}`, style))
  return renderList(items, style)
}

/** The response to a request beyond a quota: 429, Retry-After, and a detail that names the window. */
export function rateRefusal({ windows }: LimitReading, { style }: Pick<RateSetup, 'style'>): Refusal {
  const secondsOf = ({ nextSeconds, resetSeconds }: WindowReading) =>
    style.retryAfter === 'full' ? resetSeconds : nextSeconds
  const [shortest, ...others] = windows
    .filter(({ remaining }) => remaining <= 0)
    .toSorted((a, b) => secondsOf(a) - secondsOf(b))
  const window = style.retryAfter === 'shortest' ? shortest : (others.at(-1) ?? shortest)
  return new Refusal(429, `rate limit exceeded for the ${window?.name} window`, {
    headers: { 'retry-after': String(window === undefined ? 0 : secondsOf(window)) },
  })
}

function renderItem(name: string, first: string, second: string, style: Style): string {
  const { parameter } = SPACING[style.rateSpacing]
  const parameters = style.rateParameters === 'reversed' ? second + parameter + first : first + parameter + second
  const item = (style.rateNames === 'string' ? `"${name}"` : name) + parameter + parameters
  return style.rateExtra ? `${item}${parameter}scope=user` : item
}

function renderList(items: string[], style: Style): string {
  if (style.rateWindows === 'longest-first') items.reverse()
  return items.join(SPACING[style.rateSpacing].list)
}
