import { expect, test } from 'vitest'
import type { Operation } from '../harness/exchange/exchange.ts'
import { foldInvariants } from '../harness/run/invariants.ts'
import { exchangeWith } from '../harness/testing/exchange.ts'
import { referenceTarget } from '../proof/instance.ts'
import { clientRules } from './client-rules.ts'
import { trafficRow } from './session.ts'

const target = referenceTarget('http://127.0.0.1', 'real')

interface Sent {
  readonly at: number
  /** Default: a millisecond later. */
  readonly until?: number
  readonly operation?: Operation
  readonly authorization?: string
  readonly body?: unknown
  /** 0: no response. */
  readonly status?: number
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
}

/** Rule and clause of each finding in exchanges about one pod. */
function found(sent: readonly Sent[]): string[] {
  const fold = foldInvariants(clientRules, target, { isTraffic: true })
  for (const [place, one] of sent.entries()) {
    const {
      at,
      until = at + 1,
      operation = 'getPod',
      authorization = 'Bearer some-token',
      body,
      status = 200,
      url = '/',
      headers = {},
      json = {},
    } = one
    const exchange = exchangeWith({
      ...{ n: place + 1, owner: 'traffic', operation, subject: 'p', key: authorization || null },
      sent: { target: at, harness: at },
      received: { target: until, harness: until },
      request: {
        url: `http://127.0.0.1${url}`,
        headers: [['authorization', authorization]],
        ...(body !== undefined && { body: JSON.stringify(body) }),
      },
      response: status === 0 ? null : { status, headers: Object.entries(headers), body: JSON.stringify(json) },
    })
    fold.exchange(exchange)
  }
  return fold.judge(trafficRow).flatMap(({ rule, findings }) => findings.map(({ clause }) => `${rule} ${clause}`))
}

const pod = (status: string) => ({ id: 'p', status })
const refused = (at: number): Sent => ({ at, status: 401 })
const act = (action: string): Pick<Sent, 'operation' | 'body'> => ({ operation: 'triggerPodAction', body: { action } })
const wait = { status: 429, headers: { 'retry-after': '2' } }
const untilDate = {
  status: 429,
  headers: { date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:02 GMT' },
}

test.each<[string, readonly Sent[], readonly string[]]>([
  ['another scheme', [{ at: 0, authorization: 'Token some-token' }], ['client.token form']],
  ['two words', [{ at: 0, authorization: 'Bearer some token' }], ['client.token form']],
  ['any case of the scheme', [{ at: 0, authorization: 'bearer some-token' }], []],
  ['a refused token again', [refused(0), refused(300)], ['client.token-refused repeated']],
  ['a refused token again and again', [0, 100, 200, 300].map(refused), ['client.token-refused repeated']],
  ['a refused token that is accepted later', [refused(0), { at: 300 }], []],
  ['a refused token before its refusal is known', [0, 1, 2, 3, 4, 5].map(refused), []],
  [
    'a refused token without a response again',
    [refused(0), { at: 300, status: 0 }, refused(310)],
    ['client.token-refused repeated'],
  ],
  [
    'another operation before Retry-After',
    [
      { at: 0, ...wait },
      { at: 300, operation: 'listPods' },
    ],
    [],
  ],
  [
    'a token that another endpoint refused',
    [
      { ...refused(0), operation: 'getRoute', url: '/one' },
      { ...refused(300), operation: 'getRoute', url: '/two' },
    ],
    [],
  ],
  ['the same one before it', [{ at: 0, ...wait }, { at: 1900 }], ['client.retry-after waited']],
  [
    'the same one for another pod',
    [
      { at: 0, ...wait },
      { at: 1900, url: '/q' },
    ],
    ['client.retry-after waited'],
  ],
  ['the same one after it', [{ at: 0, ...wait }, { at: 2001 }], []],
  ['the same one after it, by the header', [{ at: 0, until: 900, ...wait }, { at: 2001 }], []],
  [
    'one that was under way',
    [
      { at: 0, ...wait },
      { at: 0, until: 3 },
    ],
    [],
  ],
  ['one before the wait is known', [{ at: 0, ...wait }, { at: 200 }], []],
  ['the same request after a 503', [{ at: 0, ...wait, status: 503 }, { at: 1900 }], ['client.retry-after waited']],
  [
    'the same one for another pod after a 503',
    [
      { at: 0, ...wait, status: 503 },
      { at: 1900, url: '/q' },
    ],
    [],
  ],
  ['the same one long before its date', [{ at: 0, ...untilDate }, { at: 900 }], ['client.retry-after waited']],
  ['the same one in the second of its date', [{ at: 0, ...untilDate }, { at: 1100 }], []],
  ['a job without input', [{ at: 0, operation: 'runJob', body: {} }], ['client.body valid']],
  ['a webhook that may be refused', [{ at: 0, operation: 'runJob', body: { input: {}, webhook: 'ftp://x' } }], []],
  ['a PATCH with a field that is not described', [{ at: 0, operation: 'updatePod', body: { priority: 1 } }], []],
  [
    'a PATCH with wrong mounts',
    [{ at: 0, operation: 'updatePod', body: { mounts: { persistent: 5 } } }],
    ['client.body valid'],
  ],
  ['a PATCH that is a list', [{ at: 0, operation: 'updatePod', body: [] }], ['client.body valid']],
  ['an endpoint without a template', [{ at: 0, operation: 'createEndpoint', body: {} }], ['client.body valid']],
  ...[409, 400, 401, 429, 500, 0].map((status): [string, readonly Sent[], readonly string[]] => [
    `a start while RUNNING that is answered ${status}`,
    [
      { at: 0, json: pod('RUNNING') },
      { at: 300, ...act('start'), status },
    ],
    status === 409 ? ['client.action permitted'] : [],
  ]),
  [
    'a start that succeeds',
    [
      { at: 0, json: pod('RUNNING') },
      { at: 300, ...act('start'), json: pod('RUNNING') },
    ],
    [],
  ],
  [
    'a start before the status is known',
    [
      { at: 0, json: pod('RUNNING') },
      { at: 200, ...act('start'), status: 409 },
    ],
    [],
  ],
  [
    'a start after a status that another client was shown',
    [
      { at: 0, json: pod('RUNNING'), authorization: 'Bearer another-token' },
      { at: 300, ...act('start'), status: 409 },
    ],
    [],
  ],
  [
    'a start after a stop',
    [
      { at: 0, json: pod('RUNNING') },
      { at: 300, ...act('stop') },
      { at: 600, ...act('start'), status: 409 },
    ],
    [],
  ],
  [
    'a stop while EXITED',
    [
      { at: 0, ...act('stop'), json: pod('EXITED') },
      { at: 300, ...act('stop'), status: 409 },
    ],
    ['client.action permitted'],
  ],
])('%s', (_, sent, wanted) => expect(found(sent)).toEqual(wanted))
