import { type OperationFacts, operationsOf } from '../../../generated/operations.ts'
import type { LbSection } from '../../../target/file.ts'
import { lbOf, writeLb } from '../../../target/lb.ts'
import type { LbPlane } from '../../../target/types.ts'
import { perOperation } from '../pacing.ts'
import type { Plane } from '../plane.ts'

const operations: Readonly<Record<string, OperationFacts>> = {
  ...operationsOf('lb'),
  /** A request with a method that the document does not list. */
  otherRoute: {
    plane: 'lb',
    method: 'HEAD',
    path: '{route}',
    held: true,
    body: null,
    success: [],
    rate: null,
  },
}

/** Load-balanced endpoints, each with its own address. */
export const lb: Plane<LbPlane> = {
  name: 'lb',
  title: 'a load-balanced endpoint',
  operations,
  areas: ['lb'],
  accept: 'application/json',
  capabilities: {
    lb: {
      says: 'load-balanced endpoints',
      line: 'lb: {endpoints: {normal: https://HOST}}',
      given: () => true,
    },
    'lb.second': {
      says: 'a second load-balanced endpoint',
      line: 'lb: {endpoints: {second: https://HOST}}',
      given: ({ endpoints }) => endpoints.second !== null,
    },
    'lb.unknown': {
      says: 'the address of a load-balanced endpoint that does not exist',
      line: 'lb: {endpoints: {unknown: https://HOST}}',
      given: ({ endpoints }) => endpoints.unknown !== null,
    },
    'lb.worker': {
      says: 'the conformance worker on the load-balanced endpoints',
      line: 'lb: {worker: true}',
      given: ({ worker }) => worker,
    },
  },
  pacing: perOperation(operations),
  creates: null,
  probes: [
    { asked: '/ping', operation: 'pingWorker', resembles: () => true },
    {
      asked: '/ping without a key',
      operation: 'pingWorker',
      call: () => ({ authorization: null }),
      resembles: () => false,
    },
  ],
  load: null,
  probeKeys: 'lb.endpoints.normal',
  read: (section, _, around) => lbOf(section as LbSection, around),
  write: writeLb,
}
