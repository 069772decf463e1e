import { limited } from '../../reference/limits/limited.ts'
import { type LimiterMaker, type LimitReading, limiterOf } from '../../reference/limits/limiter.ts'
import { composeOptions } from '../../reference/options.ts'
import type { Defect } from '../types.ts'
import { all, type Change, defect, is, options, part, serving } from './tools.ts'

/** Quotas that are announced and not kept. They are small, so that a tour exceeds them. */
export const limits: readonly Defect[] = [
  defect('minute-never-falls', 'limits.pods.counts-down', 'falls', {
    says: 'r of the minute is always one below the quota, and nothing is refused.',
    observed: 'r of minute has not fallen',
    change: all(options({ quotas: { minute: 30 } }), readsAs(unlimited('minute', ({ quota }) => quota - 1))),
  }),
  defect('hour-never-falls', 'limits.pods.counts-down', 'falls', {
    says: 'r of the hour is always one below the quota, and nothing is refused.',
    observed: 'r of hour has not fallen',
    change: all(options({ quotas: { hour: 100 } }), readsAs(unlimited('hour', ({ quota }) => quota - 1))),
  }),
  defect('minute-not-enforced', 'limits.pods.counts-down', 'falls', {
    says: 'r of the minute falls to 5 and stays there, and nothing is refused.',
    observed: 'more served than q of minute grants',
    change: all(
      options({ quotas: { minute: 20 } }),
      readsAs(unlimited('minute', (window) => Math.max(5, window.remaining))),
    ),
  }),
  defect('refused-now-and-then', 'limits.pods.no-early-429', 'refused', {
    says: 'Every fortieth request is refused, though r is far above 0.',
    observed: '429',
    change: readsAs((reading, n) => ({ ...reading, isRefused: n % 40 === 0 })),
  }),
  defect('last-tenth-of-the-minute-refused', 'limits.pods.no-early-429', 'refused', {
    says: 'A minute refuses its last tenth of requests.',
    observed: '429',
    change: all(
      options({ quotas: { minute: 100 } }),
      readsAs((reading) => ({ ...reading, isRefused: reading.isRefused || reading.windows.some(isNearlyUsedUp) })),
    ),
  }),
  defect('requests-count-twice', 'limits.pods.counts-each', 'each', {
    says: 'Each request counts twice.',
    observed: 'r of minute falls by 2 with each request',
    change: limited((limiter) => ({
      take(user, nowMs) {
        limiter.take(user, nowMs)
        return limiter.take(user, nowMs)
      },
    })),
  }),
  defect('every-second-request-counts', 'limits.pods.counts-each', 'each', {
    says: 'Every second request is not counted.',
    observed: 'r of minute falls by less than the requests sent',
    change: readsAs((reading, n) => ({
      ...reading,
      windows: reading.windows.map((window) => ({
        ...window,
        remaining: Math.min(window.quota - 1, window.remaining + Math.floor(n / 2)),
      })),
    })),
  }),
  defect('actions-not-counted', 'limits.pods.counts-each', 'actions', {
    says: 'Actions do not count.',
    observed: 'r of minute falls by less than the restarts, reads and changes of the pod',
    change: uncountedIf(is.action),
  }),
  defect('reads-of-a-pod-not-counted', 'limits.pods.counts-each', 'actions', {
    says: 'Reads of a pod do not count.',
    observed: 'r of minute falls by less than the restarts, reads and changes of the pod',
    change: uncountedIf(is.get),
  }),
  defect('changes-of-a-pod-not-counted', 'limits.pods.counts-each', 'actions', {
    says: 'Changes of a pod do not count.',
    observed: 'r of minute falls by less than the restarts, reads and changes of the pod',
    change: uncountedIf(is.patch),
  }),
  defect('no-window-moves-on', 'limits.pods.counts-each', 'time', {
    says: 'Each window says the same t until it resets.',
    observed: 't of minute has not fallen',
    change: readsAs(({ isRefused, windows }) => ({
      isRefused,
      windows: windows.map((window) => ({ ...window, resetSeconds: window.seconds / 2 })),
    })),
  }),
  defect('quota-of-all-users', 'limits.pods.per-user', 'unchanged', {
    says: 'All users share one quota of requests a minute.',
    observed: 'r of minute lower by the requests of another user',
    change: countsFor('minute', () => 'everybody'),
  }),
  defect('quota-of-each-key', 'limits.pods.shared-by-keys', 'lowered', {
    says: 'Each key has a quota of its own.',
    observed: 'r of minute as it was before requests of another key of the user',
    change: countsFor('minute', (_, token) => token),
  }),
  defect('hour-of-each-key', 'limits.pods.shared-by-keys', 'lowered', {
    says: 'Each key has an hour of its own; minute and day are those of the user.',
    observed: 'r of hour as it was before requests of another key of the user',
    change: countsFor('hour', (_, token) => token),
  }),
]

type Window = LimitReading['windows'][number]

function isNearlyUsedUp({ quota, remaining }: Window): boolean {
  return remaining < quota / 10
}

/** Refuses nothing and shows another r of one window. */
function unlimited(name: string, remaining: (window: Window) => number) {
  return ({ windows }: LimitReading): LimitReading => ({
    isRefused: false,
    windows: windows.map((one) => (one.name === name ? { ...one, remaining: remaining(one) } : one)),
  })
}

/** Another outcome of counting, by the number of the request. */
function readsAs(read: (reading: LimitReading, n: number) => LimitReading): Change {
  return limited(({ take }) => {
    let requests = 0
    return { take: (user, nowMs) => read(take(user, nowMs), ++requests) }
  })
}

/** Such requests do not count. */
function uncountedIf(isFree: (request: Request) => boolean): Change {
  return (base) => {
    let isUncounted = false
    let last: LimitReading | null = null
    return all(
      limited(({ take }) => ({
        take(user, nowMs) {
          if (!isUncounted || last === null) last = take(user, nowMs)
          return last
        },
      })),
      serving((request, { fetch }) => {
        isUncounted = isFree(request)
        return fetch(request)
      }),
    )(base)
  }
}

/** Requests count in one window for somebody else than the user; `token` is the Authorization header. */
function countsFor(name: string, whose: (user: string, token: string) => string): Change {
  return (base) => {
    let token = ''
    const make: LimiterMaker = base.limiter ?? limiterOf('fixed-window')
    const limiter: LimiterMaker = (windows) => {
      const usual = make(windows)
      const changed = make(windows)
      return {
        take(user, nowMs) {
          const own = usual.take(user, nowMs)
          const others = changed.take(whose(user, token), nowMs)
          const isOther = (window: Window) => window.name === name
          return {
            isRefused: own.isRefused,
            windows: [...own.windows.filter((one) => !isOther(one)), ...others.windows.filter(isOther)],
          }
        },
      }
    }
    const change = part('authenticate', (next, authorization) => {
      token = authorization ?? ''
      return next()
    })
    return composeOptions(change(base), { limiter })
  }
}
