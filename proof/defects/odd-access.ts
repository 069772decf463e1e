import type { RuleId } from '../../generated/rules.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { alike } from '../../suites/shared/odd-requests.ts'
import type { Defect } from '../types.ts'
import { seen } from './action-tools.ts'
import { both, isMissing, isRestricted, type When } from './auth-tools.ts'
import {
  allPlanes,
  answer,
  answers,
  bugs,
  doing,
  hasBody,
  isDoubled,
  isTrailing,
  method,
  path,
  pods,
  served,
} from './odd-tools.ts'

const hasKeyInQuery: When = ({ url }) => url.includes(defaultKeys.full)
const isText: When = ({ headers }) => headers.get('content-type') === 'text/plain'

const withoutKeys = allPlanes.flatMap((plane) => {
  const [clause, observed] = plane.effect
  return bugs(`auth.${plane.name}.odd-requests` as RuleId, plane, [
    {
      id: 'key-in-query',
      clause: 'query',
      says: 'The key is accepted from the query.',
      observed: `status ${plane.done}`,
      change: answers(plane, both(isMissing, hasKeyInQuery), served),
    },
    {
      id: 'key-in-query-as-token',
      clause: 'query',
      says: 'The key is accepted from the query as access_token.',
      observed: `status ${plane.done}`,
      sample: 'key as access_token',
      change: answers(
        plane,
        both(isMissing, ({ url }) => url.includes('access_token=')),
        served,
      ),
    },
    {
      id: 'doubled-slash-needs-no-key',
      clause: 'path',
      says: 'A path with a doubled slash needs no key.',
      observed: `status ${plane.done}`,
      sample: 'doubled last slash',
      change: answers(plane, both(isMissing, path(/[^/]\/\/[^/]/)), served),
    },
    {
      id: 'trailing-slash-needs-no-key',
      clause: 'path',
      says: 'A path with a trailing slash needs no key.',
      observed: `status ${plane.done}`,
      sample: 'trailing slash',
      change: answers(plane, both(isMissing, isTrailing), served),
    },
    {
      id: 'get-body-needs-no-key',
      clause: 'body',
      says: 'GET with a body needs no key.',
      observed: 'status 200',
      sample: 'GET with a body',
      change: answers(plane, both(isMissing, method('GET'), hasBody), answer(200)),
    },
    {
      id: 'text-needs-no-key',
      clause: 'type',
      says: 'A body of type text/plain needs no key.',
      observed: `status ${plane.done}`,
      change: answers(plane, both(isMissing, isText), served),
    },
    {
      id: 'head-needs-no-key',
      clause: 'head',
      says: 'HEAD needs no key.',
      observed: 'status 200',
      change: answers(plane, both(isMissing, method('HEAD')), answer(200)),
    },
    {
      id: 'unusual-method-needs-no-key',
      clause: 'method',
      says: 'PUT needs no key.',
      observed: 'status 200',
      change: answers(plane, both(isMissing, method('PUT')), answer(200)),
    },
    {
      id: 'key-in-query-401-and-acts',
      clause,
      says: 'A request with the key in its query is answered 401, and carried out.',
      observed,
      change: answers(plane, both(isMissing, hasKeyInQuery), doing(plane)),
    },
  ])
})

/** Unusual requests without a key or a permission that are served. */
export const oddAccess: readonly Defect[] = [
  ...withoutKeys,
  ...bugs('auth.pods.odd-requests', pods, [
    {
      id: 'delete-body-needs-no-key',
      clause: 'body',
      says: 'A request with a body needs no key if it usually has none.',
      observed: 'status 204',
      change: answers(pods, both(isMissing, method('DELETE', 'GET'), hasBody), answer(204)),
    },
  ]),
  ...bugs(
    'auth.pods.odd-permission',
    pods,
    Object.entries(alike).map(([name, change]) => {
      const clause = name.replaceAll(' ', '-')
      const usual = change('/v2/pods/[^/]+/action')
      return {
        id: `${clause}-needs-no-permission`,
        clause,
        says: `A path with a ${name} needs no permission.`,
        observed: 'status 200',
        change: answers(pods, both(isRestricted, path(new RegExp(`^${usual}$`, 'i'))), served),
      }
    }),
  ),
  ...bugs('auth.pods.odd-permission', pods, [
    {
      id: 'doubled-slash-acts-without-permission',
      clause: 'unchanged',
      says: 'A request without permission is refused at a path with a doubled slash, and carried out.',
      observed: seen('RUNNING', 'EXITED'),
      change: answers(pods, both(isRestricted, isDoubled), doing(pods)),
    },
  ]),
]
