import { mutate } from '../../harness/common/mutate.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { Refusal } from '../../reference/index.ts'
import type { EndpointOperation } from '../../reference/operations.ts'
import type { Defect } from '../types.ts'
import { lets, refusesAndDoes, tokenIs, type When } from './auth-tools.ts'
import { asksEndpoint } from './endpoints-tools.ts'
import { defect, part } from './tools.ts'

const isStranger = tokenIs(defaultKeys.stranger)
const header =
  (is: (value: string | null) => boolean): When =>
  ({ headers }) =>
    is(headers.get('authorization'))

/** The Authorization of each clause. */
const refused = [
  ['missing', 'refused', 'no-key', 'Without Authorization', header((value) => value === null)],
  [
    'invalid',
    'refused',
    'unissued-key',
    'With a token that was never issued',
    header((value) => /never-issued/.test(value ?? '')),
  ],
  ['invalid', 'altered', 'altered-key', 'With a key that has another ending', tokenIs(mutate(defaultKeys.full))],
  ['expired', 'refused', 'expired-key', 'With an expired key', tokenIs(defaultKeys.expired)],
  [
    'malformed',
    'another-scheme',
    'another-scheme',
    'With another scheme',
    header((value) => /^(Token|Basic) /.test(value ?? '')),
  ],
  ['malformed', 'no-token', 'no-token', 'With the scheme alone', header((value) => value === 'Bearer')],
  ['malformed', 'empty', 'empty-header', 'With an empty header', header((value) => value === '')],
] as const

/** The finding if an operation is refused and carried out. */
const effects = [
  ['createEndpoint', 'not-created', 'the endpoint whose creation was refused'],
  ['updateEndpoint', 'unchanged', 'idleTimeout 7'],
  ['deleteEndpoint', 'unchanged', 'status 404'],
] as const

const both =
  (one: When, two: When): When =>
  (request) =>
    one(request) && two(request)

/** Keys on endpoint management. */
export const authEndpoints: readonly Defect[] = [
  ...refused.flatMap(([topic, clause, id, says, when]) =>
    (Object.keys(asksEndpoint) as EndpointOperation[]).map((operation) =>
      defect(`${id}-serves-${slug(operation)}`, `auth.management.${topic}`, clause, {
        says: `${says}, ${operation} is served.`,
        observed: `status ${operation === 'deleteEndpoint' ? 204 : 200}`,
        change: lets(both(when, asksEndpoint[operation])),
      }),
    ),
  ),
  ...refused
    .filter(([, clause]) => clause === 'refused' || clause === 'no-token')
    .flatMap(([topic, , id, says, when]) =>
      effects.map(([operation, clause, observed]) =>
        defect(`${id}-refused-and-does-${slug(operation)}`, `auth.management.${topic}`, clause, {
          says: `${says}, ${operation} is answered 401 and carried out.`,
          observed,
          change: refusesAndDoes(both(when, asksEndpoint[operation])),
        }),
      ),
    ),
  ...(['getEndpoint', 'updateEndpoint', 'deleteEndpoint'] as const).map((operation) =>
    defect(`stranger-serves-${slug(operation)}`, 'auth.management.hidden', 'refused', {
      says: `Another account may ${operation}.`,
      observed: `status ${operation === 'deleteEndpoint' ? 204 : 200}`,
      change: lets(both(isStranger, asksEndpoint[operation])),
    }),
  ),
  defect('stranger-told-endpoint-name', 'auth.management.hidden', 'not-told', {
    says: 'The refusal to another account names the endpoint.',
    observed: 'the name of the endpoint',
    change: part('ownEndpoint', (next, id, caller, service) => {
      const endpoint = service.queue.endpoints.get(id)
      if (endpoint !== undefined && endpoint.user !== caller.user) {
        throw new Refusal(403, `${endpoint.name} is not yours`)
      }
      return next()
    }),
  }),
  defect('stranger-lists-endpoints', 'auth.management.hidden', 'not-listed', {
    says: 'The list shows the endpoints of all accounts.',
    observed: 'the endpoint of another account',
    change: part('listEndpoints', (___, _, { queue }) => [...queue.endpoints.values()]),
  }),
  ...effects.slice(1).map(([operation, clause, observed]) =>
    defect(`stranger-refused-and-does-${slug(operation)}`, 'auth.management.hidden', clause, {
      says: `${operation} by another account is answered 404 and carried out.`,
      observed,
      change: refusesAndDoes(both(isStranger, asksEndpoint[operation])),
    }),
  ),
]

function slug(operation: EndpointOperation): string {
  return operation.replace('Endpoint', '-endpoint').replace('-endpoints', '')
}
