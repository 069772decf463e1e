import type { OperationFacts } from '../../../generated/operations.ts'
import { readSection } from '../../../target/section.ts'
import { membersOf } from '../../exchange/read.ts'
import { perOperation } from '../pacing.ts'
import type { Plane } from '../plane.ts'

/** Its address is that of the document itself. */
const operations = {
  getDocument: { plane: 'pods', method: 'GET', path: '', held: false, body: null, success: [200], rate: null },
} as const satisfies Readonly<Record<string, OperationFacts>>

/** The OpenAPI document that a platform publishes. */
export const document: Plane = {
  name: 'openapi',
  title: 'the API document',
  operations,
  areas: [],
  accept: 'application/json',
  capabilities: {
    openapi: {
      says: 'a published API document',
      line: 'openapi: {url: https://HOST/openapi.json}',
      given: () => true,
    },
  },
  pacing: perOperation(operations),
  creates: null,
  probes: [
    {
      asked: 'the API document',
      operation: 'getDocument',
      resembles: (json) => membersOf(json)?.openapi !== undefined,
    },
  ],
  load: null,
  probeKeys: 'openapi.url, the address of a JSON document',
  read: (section, _, around) => readSection('openapi', operations, section, around),
}
