import { operationsOf } from '../../../generated/operations.ts'
import type { LbPlane, LbRole } from '../../../target/types.ts'
import { type Capability, given, notInDocument, type Plane, perOperation } from '../plane.ts'
import { lbOf, writeLb } from './section.ts'

const operations = {
  ...operationsOf('lb'),
  /** A request with a method that the document does not list. */
  otherRoute: notInDocument('lb', { method: 'HEAD', path: '{route}', held: true }),
}

const endpoint = (role: LbRole, says: string): Capability<LbPlane> => ({
  says,
  line: `lb: {endpoints: {${role}: https://HOST}}`,
  given: ({ endpoints }) => endpoints[role] !== null,
})

/** Load-balanced endpoints, each with its own address. */
export const lb: Plane<LbPlane> = {
  name: 'lb',
  title: 'a load-balanced endpoint',
  operations,
  areas: ['lb'],
  accept: 'application/json',
  capabilities: {
    lb: endpoint('normal', 'load-balanced endpoints'),
    'lb.second': endpoint('second', 'a second load-balanced endpoint'),
    'lb.unknown': endpoint('unknown', 'the address of a load-balanced endpoint that does not exist'),
    'lb.restricted': {
      says: 'load-balanced endpoints that the restricted key may not call',
      line: `keys: {restricted: {key: '\${RESTRICTED_API_KEY}', mayNot: [lb]}}`,
      given: (_, { grants }) => grants.mayNot.includes('lb'),
    },
    'lb.worker': given('worker', 'the conformance worker on the load-balanced endpoints', 'lb: {worker: true}'),
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
  probeKeys: 'lb.endpoints.normal (the address of one endpoint)',
  read: lbOf,
  write: writeLb,
}
