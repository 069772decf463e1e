import { Refusal } from '../http/refusal.ts'
import type { Service } from '../service.ts'
import type { Style } from '../style.ts'
import type { LimitReading, LimitWindow, WindowReading } from './limiter.ts'

const SPACING = {
  space: { list: ', ', parameter: ';' },
  none: { list: ',', parameter: ';' },
  wide: { list: ' , ', parameter: '; ' },
} as const

/** RateLimit and RateLimit-Policy: structured-field lists with an item for each window (heading Limits). */
export function rateHeaders({ windows }: LimitReading, { style, ratePolicy }: Service): Record<string, string> {
  return {
    ratelimit: renderList(windows, ({ remaining, resetSeconds }) => [`r=${remaining}`, `t=${resetSeconds}`], style),
    'ratelimit-policy': ratePolicy,
  }
}

/** RateLimit-Policy, which stays the same for the life of a reference. */
export function renderPolicy(windows: readonly LimitWindow[], style: Style): string {
  return renderList(windows, ({ quota, seconds }) => [`q=${quota}`, `w=${seconds}`], style)
}

/** The answer to a request beyond a quota: 429, Retry-After, and a detail that names the window. */
export function rateRefusal({ windows }: LimitReading, { style }: Service): Refusal {
  const [shortest, ...others] = windows
    .filter(({ remaining }) => remaining <= 0)
    .toSorted((a, b) => a.resetSeconds - b.resetSeconds)
  const window: WindowReading | undefined = style.retryAfter === 'longest' ? (others.at(-1) ?? shortest) : shortest
  return new Refusal(429, `rate limit exceeded for the ${window?.name} window`, {
    headers: { 'retry-after': String(window?.resetSeconds ?? 0) },
  })
}

function renderList<T extends LimitWindow>(windows: readonly T[], parametersOf: ParametersOf<T>, style: Style): string {
  const spacing = SPACING[style.rateSpacing]
  const items = windows.map((window) => {
    const parameters = parametersOf(window)
    if (style.rateParameters === 'reversed') parameters.reverse()
    if (style.rateExtra) parameters.push('scope=user')
    return [style.rateNames === 'string' ? `"${window.name}"` : window.name, ...parameters].join(spacing.parameter)
  })
  if (style.rateWindows === 'longest-first') items.reverse()
  return items.join(spacing.list)
}

type ParametersOf<T> = (window: T) => string[]
