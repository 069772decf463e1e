import { mutate } from '../../harness/common/mutate.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import type { Defect } from '../types.ts'
import { lets, refusesAndDoes, tokenIs, type When } from './auth-tools.ts'
import { defect } from './tools.ts'

const header =
  (is: (value: string | null) => boolean): When =>
  ({ headers }) =>
    is(headers.get('authorization'))

/** The Authorization of each clause. */
const refused: readonly (readonly [
  topic: 'missing' | 'invalid' | 'expired' | 'malformed',
  clause: string,
  says: string,
  When,
])[] = [
  ['missing', 'refused', 'without Authorization', header((value) => value === null)],
  ['invalid', 'refused', 'with a token that was never issued', header((value) => /never-issued/.test(value ?? ''))],
  ['invalid', 'altered', 'with a key that has another ending', tokenIs(mutate(defaultKeys.full))],
  ['expired', 'refused', 'with an expired key', tokenIs(defaultKeys.expired)],
  ['malformed', 'another-scheme', 'with another scheme', header((value) => /^(Token|Basic) /.test(value ?? ''))],
  ['malformed', 'no-token', 'with the scheme alone', header((value) => value === 'Bearer')],
  ['malformed', 'empty', 'with an empty header', header((value) => value === '')],
]

const requests = ['ping', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const isStranger = tokenIs(defaultKeys.stranger)

/** Keys on load-balanced endpoints. */
export const authLb: readonly Defect[] = [
  ...refused.flatMap(([topic, clause, says, when]) => [
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

function both(one: When, two: When): When {
  return (request) => one(request) && two(request)
}
