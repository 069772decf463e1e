import { defaultKeys } from '../../reference/auth/accounts.ts'
import { type Effect, later } from './action-tools.ts'
import { type Change, serving } from './tools.ts'

export type When = (request: Request) => boolean

/** The same request with another Authorization. */
export function authorized(request: Request, authorization: string): Request {
  const other = new Request(request.clone())
  other.headers.set('authorization', authorization)
  return other
}

/** Requests that `when` picks are served as if they had come with the full key. */
export function lets(when: When): Change {
  return serving((request, { fetch }) => fetch(when(request) ? withFullKey(request) : request))
}

/** Requests that `when` picks are refused, and carried out as well: at once, or so many ms later. */
export function refusesAndDoes(when: When, ms = 0): Change {
  return serving(async (request, { clock, fetch }) => {
    const full = withFullKey(request)
    const refusal = await fetch(request)
    if (when(request) && ms > 0) clock.schedule(clock.now() + ms, () => void fetch(full))
    else if (when(request)) await fetch(full)
    return refusal
  })
}

/** Requests that `when` picks are refused, and have an effect on their pod a second later. */
export function refusesAndDoesLater(when: When, effect: Effect): Change {
  return serving(async (request, { fetch, service }) => {
    const refusal = await fetch(request)
    const known = service()
    const pod = known?.store.get(idIn(request))
    if (known && pod && when(request)) later(1000, effect)(pod, known)
    return refusal
  })
}

function withFullKey(request: Request): Request {
  return authorized(request, `Bearer ${defaultKeys.full}`)
}

/** The pod id in the path of a request; empty if there is none. */
export function idIn(request: Request): string {
  return new URL(request.url).pathname.split('/')[3] ?? ''
}

export function tokenIs(token: string): When {
  return ({ headers }) => headers.get('authorization') === `Bearer ${token}`
}
