import { changeEndpoint, removeEndpoint } from './change.ts'
import { createEndpoint } from './create.ts'
import { listEndpoints, ownEndpoint } from './find.ts'
import { presentEndpoint, presentEndpointError } from './present.ts'
import { checkWorkers, workersInUse } from './quota.ts'
import type { EndpointParts } from './service.ts'
import { allocateGpu, settleEndpoint } from './settle.ts'

export const endpointParts: EndpointParts = {
  allocateGpu,
  changeEndpoint,
  checkWorkers,
  createEndpoint,
  listEndpoints,
  ownEndpoint,
  presentEndpoint,
  presentEndpointError,
  removeEndpoint,
  settleEndpoint,
  workersInUse,
}
