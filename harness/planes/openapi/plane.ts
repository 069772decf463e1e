import { readSection } from '../../../target/section.ts'
import { membersOf } from '../../exchange/read.ts'
import { always, notInDocument, type Plane, perOperation } from '../plane.ts'

/** Its address is that of the document itself. */
const operations = { getDocument: notInDocument('pods', { method: 'GET', path: '', success: [200] }) }

const isDocument = (json: unknown) => membersOf(json)?.openapi !== undefined

/** The OpenAPI document that a platform publishes. */
export const document: Plane = {
  name: 'openapi',
  title: 'the API document',
  operations,
  areas: [],
  accept: 'application/json',
  capabilities: {
    openapi: {
      ...always('a published API document', 'openapi: {url: https://HOST/openapi.json}'),
      look: {
        operation: 'getDocument',
        line: (json, { url }) => (isDocument(json) ? JSON.stringify({ openapi: { url } }) : null),
      },
    },
  },
  pacing: perOperation(operations),
  creates: null,
  probes: [
    {
      asked: 'the API document',
      operation: 'getDocument',
      resembles: isDocument,
    },
  ],
  load: null,
  probeKeys: 'openapi.url, the address of a JSON document',
  read: (section, around) => readSection('openapi', operations, section, around),
}
