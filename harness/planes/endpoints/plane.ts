import { operationsOf } from '../../../generated/operations.ts'
import type { ManagementSection } from '../../../target/file.ts'
import { managementOf, writeManagement } from '../../../target/management.ts'
import type { ManagementPlane } from '../../../target/types.ts'
import { idIn, listsIn } from '../../exchange/read.ts'
import { perOperation } from '../pacing.ts'
import type { Plane } from '../plane.ts'

const operations = operationsOf('management')

/** Endpoint management: creation and upkeep of serverless endpoints. */
export const management: Plane<ManagementPlane> = {
  name: 'management',
  title: 'endpoint management',
  operations,
  areas: ['endpoints'],
  accept: 'application/json',
  capabilities: {
    management: {
      says: 'endpoint management',
      line: 'management: {url: https://HOST, template: TEMPLATE_ID}',
      given: () => true,
    },
    'management.update': {
      says: 'the call that changes an endpoint',
      line: 'management: {paths: {updateEndpoint: "/v1/endpoints/{id}"}}',
      given: () => true,
      isWritten: ({ management }) => management?.paths?.updateEndpoint !== undefined,
    },
    'management.delete': {
      says: 'the call that deletes an endpoint',
      line: 'management: {paths: {deleteEndpoint: "/v1/endpoints/{id}"}}',
      given: () => true,
      isWritten: ({ management }) => management?.paths?.deleteEndpoint !== undefined,
    },
    'management.worker': {
      says: 'the conformance worker in the template',
      line: 'management: {worker: true}',
      given: ({ worker }) => worker,
    },
    'gpu.unavailable': {
      says: 'a GPU type that is not available, and one that is',
      line: 'management: {gpus: [GPU_TYPE_ID], gpuUnavailable: GPU_TYPE_ID}',
      given: ({ gpus, gpuUnavailable }) => gpus.length > 0 && gpuUnavailable !== null,
    },
    'gpu.several': {
      says: 'several GPU types that are available',
      line: 'management: {gpus: [GPU_TYPE_ID, GPU_TYPE_ID]}',
      given: ({ gpus }) => gpus.length > 1,
    },
    'account.standard': {
      says: 'an account with the standard quota of workers',
      line: 'management: {standardQuota: true}',
      given: ({ standardQuota }) => standardQuota,
    },
    'account.exclusive': {
      says: 'an account whose endpoints nobody else changes during a run',
      line: 'management: {exclusive: true}',
      given: ({ exclusive }) => exclusive,
    },
  },
  pacing: perOperation(operations),
  creates: {
    kind: 'endpoint',
    line: { kind: 'resource', plane: 'management' },
    create: 'createEndpoint',
    list: 'listEndpoints',
    get: 'getEndpoint',
    remove: 'deleteEndpoint',
    listAt: ({ listAt }) => listAt,
    isGone: () => false,
    isScarce: true,
  },
  /** A creation whose body is an empty list makes nothing: an endpoint needs a template. */
  probes: [
    { asked: 'the list of endpoints', operation: 'listEndpoints', resembles: (json) => listsIn(json).length > 0 },
    {
      asked: 'a creation whose body is an empty list',
      operation: 'createEndpoint',
      call: () => ({ body: [] }),
      resembles: (json) => idIn(json) !== null,
    },
  ],
  load: null,
  probeKeys: 'management.url, to which paths such as /v1/endpoints are added, and management.paths',
  read: (section, _, around) => managementOf(section as ManagementSection, around),
  write: writeManagement,
}
