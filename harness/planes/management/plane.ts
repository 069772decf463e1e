import { operationsOf } from '../../../generated/operations.ts'
import { permissionsOn } from '../../../target/permissions.ts'
import type { ManagementPlane } from '../../../target/types.ts'
import { idOrNumberIn, listsIn, membersOf } from '../../exchange/read.ts'
import { always, type Capability, given, notInDocument, type Plane, perOperation } from '../plane.ts'
import { managementFoundations } from './foundations.ts'
import { managementOf, writeManagement } from './section.ts'

const operations = {
  ...operationsOf('management'),
  /** A request below an endpoint that is not an operation. */
  otherEndpointRoute: notInDocument('management', { method: 'POST', path: '' }),
}

/** A call that the description does not show. */
const call = (operation: 'getEndpoint' | 'updateEndpoint' | 'deleteEndpoint', says: string): Capability => ({
  ...always(says, `management: {paths: {${operation}: "/v1/endpoints/{id}"}}`),
  isWritten: ({ management }) => management?.paths?.[operation] !== undefined,
})

/** The line with the GPU types of the endpoints in a list; null if there are fewer than two. */
function gpusOf(json: unknown): string | null {
  const ids = listsIn(json)
    .flat()
    .flatMap((endpoint) => membersOf(endpoint)?.gpuTypeIds ?? [])
  const gpus = [...new Set(ids)]
  return gpus.length < 2 ? null : JSON.stringify({ management: { gpus } })
}

/** Endpoint management: creation and upkeep of serverless endpoints. */
export const management: Plane<ManagementPlane> = {
  name: 'management',
  title: 'endpoint management',
  operations,
  areas: ['endpoints'],
  accept: 'application/json',
  capabilities: {
    management: always('endpoint management', 'management: {url: https://HOST, template: TEMPLATE_ID}'),
    'management.read': call('getEndpoint', 'the call that shows one endpoint'),
    'management.update': call('updateEndpoint', 'the call that changes an endpoint'),
    'management.delete': call('deleteEndpoint', 'the call that deletes an endpoint'),
    'management.restricted': {
      says: 'operations of endpoint management that the restricted key may not call',
      line: `keys: {restricted: {key: '\${RESTRICTED_API_KEY}', mayNot: [management]}}`,
      given: (_, { grants }) => permissionsOn('management', grants.mayNot).length > 0,
    },
    'management.worker': given('worker', 'the conformance worker in the template', 'management: {worker: true}'),
    'gpu.unavailable': {
      says: 'a GPU type that is not available, and one that is',
      line: 'management: {gpus: [GPU_TYPE_ID], gpuUnavailable: GPU_TYPE_ID}',
      given: ({ gpus, gpuUnavailable }) => gpus.length > 0 && gpuUnavailable !== null,
    },
    'gpu.several': {
      says: 'several GPU types that are available',
      line: 'management: {gpus: [GPU_TYPE_ID, GPU_TYPE_ID]}',
      given: ({ gpus }) => gpus.length > 1,
      look: { operation: 'listEndpoints', line: gpusOf },
    },
    'account.standard': given(
      'standardQuota',
      'an account with the standard quota of workers',
      'management: {standardQuota: true}',
    ),
    'account.exclusive': given(
      'exclusive',
      'an account whose endpoints nobody else changes during a run',
      'management: {exclusive: true}',
    ),
  },
  foundations: Object.values(managementFoundations),
  pacing: perOperation(operations),
  creates: {
    kind: 'endpoint',
    line: { kind: 'resource', plane: 'management' },
    create: 'createEndpoint',
    list: 'listEndpoints',
    get: 'getEndpoint',
    getNeeds: 'management.read',
    remove: 'deleteEndpoint',
    listAt: ({ listAt }) => listAt,
    resourceAt: ({ endpointAt }) => endpointAt,
    areCounted: true,
    isGone: () => false,
  },
  /** A creation whose body is an empty list makes nothing: an endpoint needs a template. */
  probes: [
    {
      asked: 'the list of endpoints',
      operation: 'listEndpoints',
      resembles: (json) => listsIn(json).length > 0,
      isAmbiguous: (json) => listsIn(json).flat().length === 0,
    },
    {
      asked: 'a creation whose body is an empty list',
      operation: 'createEndpoint',
      call: () => ({ body: [] }),
      resembles: (json) => idOrNumberIn(json) !== null,
    },
  ],
  load: null,
  probeKeys: 'management.url, to which paths such as /v1/endpoints are added, and management.paths',
  read: managementOf,
  write: writeManagement,
}
