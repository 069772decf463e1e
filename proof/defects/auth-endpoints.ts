import type { EndpointOperation } from '../../reference/operations.ts'
import type { Defect } from '../types.ts'
import { both, isStranger, lets, refused, refusesAndDoes } from './auth-tools.ts'
import { asksEndpoint } from './endpoints-tools.ts'
import { defect, part, refusing } from './tools.ts'

/** The finding if an operation is refused and carried out. */
const effects = [
  ['createEndpoint', 'not-created', 'the endpoint whose creation was refused'],
  ['updateEndpoint', 'unchanged', 'idleTimeout 7'],
  ['deleteEndpoint', 'unchanged', 'status 404'],
] as const

/** Keys on endpoint management. */
export const authEndpoints: readonly Defect[] = [
  ...refused.flatMap(([topic, clause, id, says, when]) =>
    (Object.keys(asksEndpoint) as EndpointOperation[]).map((operation) =>
      defect(`${id}-serves-${slug(operation)}`, `auth.management.${topic}`, clause, {
        says: `The operation ${operation} is served ${says}.`,
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
          says: `The operation ${operation} is answered 401 ${says}, and carried out.`,
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
    change: refusing('ownEndpoint', (id, { user }, { queue }) => {
      const endpoint = queue.endpoints.get(id)
      return endpoint !== undefined && endpoint.user !== user && [403, `${endpoint.name} is not yours`]
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
