import { defaultKeys } from '../../reference/auth/accounts.ts'
import type { FetchWrapper, PodService } from '../../reference/index.ts'
import { type Effect, later } from './action-tools.ts'
import { type Change, knowing, options } from './tools.ts'

export type When = (request: Request) => boolean

/** The same request with another Authorization. */
export function authorized(request: Request, authorization: string): Request {
  const other = new Request(request.clone())
  other.headers.set('authorization', authorization)
  return other
}

/** Requests that `when` picks are served as if they had come with the full key. */
export function lets(when: When): Change {
  const wrapFetch: FetchWrapper = (fetch) => (request) =>
    fetch(when(request) ? authorized(request, `Bearer ${defaultKeys.full}`) : request)
  return options({ wrapFetch })
}

/** Requests that `when` picks are refused as ever, and carried out all the same. */
export function refusesAndDoes(when: When): Change {
  const wrapFetch: FetchWrapper = (fetch) => async (request) => {
    const full = authorized(request, `Bearer ${defaultKeys.full}`)
    const refusal = await fetch(request)
    if (when(request)) await fetch(full)
    return refusal
  }
  return options({ wrapFetch })
}

/** Requests that `when` picks are refused as ever, and carried out ten seconds later. */
export function refusesAndDoesInTenSeconds(when: When): Change {
  return (base) =>
    options({
      wrapFetch: (fetch) => async (request) => {
        const full = authorized(request, `Bearer ${defaultKeys.full}`)
        const refusal = await fetch(request)
        if (when(request)) base.clock.schedule(base.clock.now() + 10_000, () => void fetch(full))
        return refusal
      },
    })(base)
}

/** Requests that `when` picks are refused as ever, and have an effect on their pod a second later. */
export function refusesAndDoesLater(when: When, effect: Effect): Change {
  return (base) => {
    let known: PodService | null = null
    const wrapFetch: FetchWrapper = (fetch) => async (request) => {
      const refusal = await fetch(request)
      const pod = known?.store.get(idIn(request))
      if (known && pod && when(request)) later(1000, effect)(pod, known)
      return refusal
    }
    const learn = knowing((service) => {
      known = service
    })
    return options({ wrapFetch })(learn(base))
  }
}

/** The pod id in the path of a request; empty if there is none. */
export function idIn(request: Request): string {
  return new URL(request.url).pathname.split('/')[3] ?? ''
}

export function tokenIs(token: string): When {
  return ({ headers }) => headers.get('authorization') === `Bearer ${token}`
}
