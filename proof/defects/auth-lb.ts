import type { Defect } from '../types.ts'
import { both, isStranger, lets, refused, refusesAndDoes, type When } from './auth-tools.ts'
import { defect } from './tools.ts'

const requests = ['ping', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Keys on load-balanced endpoints. */
export const authLb: readonly Defect[] = [
  ...refused.flatMap(([topic, clause, , says, when]) => [
    ...requests.map((request) =>
      defect(`lb-${topic}-${clause}-serves-${request.toLowerCase()}`, `auth.lb.${topic}`, clause, {
        says: `A load-balanced endpoint serves ${request} ${says}.`,
        observed: 'status 200',
        change: lets(both(when, asks(request))),
      }),
    ),
    defect(`lb-${topic}-${clause}-refused-and-reached`, `auth.lb.${topic}`, 'not-reached', {
      says: `A load-balanced endpoint answers 401 ${says}, and passes the request on.`,
      observed: 'it reached the worker 1×',
      change: refusesAndDoes(both(when, ({ url }) => url.includes('/lb/'))),
    }),
  ]),
  ...requests.map((request) =>
    defect(`lb-stranger-served-${request.toLowerCase()}`, 'auth.lb.hidden', 'refused', {
      says: `A load-balanced endpoint serves ${request} to another account.`,
      observed: 'status 200',
      change: lets(both(isStranger, asks(request))),
    }),
  ),
  defect('lb-stranger-refused-and-reached', 'auth.lb.hidden', 'not-reached', {
    says: 'A request of another account to a load-balanced endpoint is answered 404 and passed on.',
    observed: 'it reached the worker 1×',
    change: refusesAndDoes(both(isStranger, ({ url }) => url.includes('/lb/'))),
  }),
]

function asks(request: (typeof requests)[number]): When {
  if (request === 'ping') return ({ url }) => url.endsWith('/ping')
  return ({ method, url }) => method === request && url.endsWith('/plumbline/echo')
}
