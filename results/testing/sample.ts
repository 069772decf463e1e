import { operations } from '../../generated/operations.ts'
import type { HeaderPairs, PodOperation } from '../../harness/exchange/exchange.ts'
import type { EvidenceEvent, ExchangeEvent, FindingEvent, RunEvent, VerdictEvent } from '../../harness/record/events.ts'
import type { Events } from '../reproduction.ts'
import type { LedgerRow } from '../summary.ts'

/** A small record for the tests of results and reports: plain data without a run. */

/** 2026-11-02T09:00:00Z */
export const sampleStartMs = 1_793_610_000_000

const full: HeaderPairs = [['Authorization', 'Bearer «key.full»']]
const json: HeaderPairs = [['Content-Type', 'application/json']]

export function eventsOf(events: readonly EvidenceEvent[]): Events {
  return async function* () {
    yield* events
  }
}

export function sampleRow(id: string, more: Partial<LedgerRow> = {}): LedgerRow {
  const [area = 'pods'] = id.split('.')
  return {
    id,
    area,
    profile: 'core',
    level: 'must',
    basis: 'stated',
    source: 'Pod status',
    says: `What ${id} says.`,
    ...more,
  }
}

export function sampleRun(rules: readonly string[], more: Partial<RunEvent> = {}): RunEvent {
  return {
    type: 'run',
    format: 1,
    run: 'r0abc',
    plumbline: '0.1.0',
    startedMs: sampleStartMs,
    targetFile: 'target.yaml',
    seed: 7,
    clock: 'real',
    profiles: ['core'],
    strict: false,
    rules: [...rules].sort(),
    digests: { suite: 'sha256:aa', ledger: 'sha256:bb', specification: 'sha256:cc', target: 'sha256:dd' },
    target: sampleTarget(),
    ...more,
  }
}

export function sampleTarget(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    name: 'acme staging',
    pods: { url: 'https://api.example.test', recipes: {}, paths: { deletePod: '/v2/pods/{id}' } },
    clock: 'real',
    known: [],
    ...more,
  }
}

interface SampleExchange {
  readonly operation?: PodOperation
  readonly path?: string
  readonly headers?: HeaderPairs
  /** A recorded body (`{text}`, `{base64}`, `{file}`), or another value that is sent as JSON. */
  readonly body?: object
  readonly status?: number | null
  readonly answer?: object
  /** Seconds after the start of the run. */
  readonly at?: number
  readonly base?: string
}

export function sampleExchange(n: number, owner: string, given: SampleExchange = {}): ExchangeEvent {
  const {
    operation = 'getPod',
    path = '/v2/pods/p1',
    at = n,
    base = 'https://api.example.test',
    headers = full,
  } = given
  const sent = sampleStartMs + at * 1_000
  const body = given.body === undefined ? null : recorded(given.body)
  const status = given.status === undefined ? 200 : given.status
  return {
    type: 'exchange',
    n,
    owner,
    operation,
    subject: /^\/v2\/pods\/([^/]+)/.exec(decodeURIComponent(path))?.[1] ?? null,
    key: 'full',
    sent: { target: sent, harness: sent },
    received: { target: sent + 20, harness: sent + 20 },
    request: {
      method: operations[operation].method,
      url: base + path,
      headers: [
        ...headers,
        ...(body === null ? [] : json),
        ['User-Agent', `plumbline/0.1.0 (run r0abc; rule ${owner})`],
        ['traceparent', '00-00-00-01'],
      ],
      body,
    },
    response:
      status === null
        ? null
        : { status, headers: json, body: recorded(given.answer ?? { id: 'p1', status: 'RUNNING' }) },
    failure: status === null ? 'no response within 30000 ms' : null,
  }
}

/** The creation of a pod. */
export function sampleCreation(n: number, owner: string, given: SampleExchange = {}): ExchangeEvent {
  return sampleExchange(n, owner, {
    operation: 'createPod',
    path: '/v2/pods',
    body: { name: 'a' },
    status: 201,
    ...given,
  })
}

export function sampleVerdict(
  rule: string,
  verdict: VerdictEvent['verdict'],
  more: Partial<VerdictEvent> = {},
): VerdictEvent {
  return {
    type: 'verdict',
    rule,
    verdict,
    reason: null,
    by: null,
    exchanges: 2,
    clauses: ['refused', 'unchanged'],
    startedMs: sampleStartMs,
    endedMs: sampleStartMs + 1_500,
    ...more,
  }
}

export function sampleFinding(rule: string, exchange: number | null, more: Partial<FindingEvent> = {}): FindingEvent {
  return { type: 'finding', rule, clause: 'refused', expected: 'status 409', observed: 'status 200', exchange, ...more }
}

export const sampleLedger: readonly LedgerRow[] = [
  sampleRow('auth.pods.missing', { source: 'Authentication', says: 'A request without a key is answered 401.' }),
  sampleRow('pods.action.exited.stop', { says: 'EXITED + stop: 409, and the pod is unchanged.' }),
  sampleRow('pods.action.terminated.any', { basis: 'open', says: 'TERMINATED + any action: 404 or 409.' }),
  sampleRow('pods.shape.cost', { source: 'Pod', says: 'cost is a number.' }),
  sampleRow('pods.shape.order', { level: 'should', says: 'Statuses come in order.' }),
  sampleRow('pods.action.race', { says: 'Many stops at once are each answered.' }),
  sampleRow('pods.action.error.start', { says: 'ERROR + start: 200.' }),
  sampleRow('pods.mount.volume', { source: 'Mounts', says: 'A network mount has a volume.' }),
  sampleRow('limits.pods.minute', { source: 'Limits', says: 'The minute window holds 60 requests.' }),
]

/** Every verdict once; the failure is of a pod made by a fixture that was polled until it was EXITED. */
export function sampleEvents(more: Partial<RunEvent> = {}): EvidenceEvent[] {
  const stop = 'pods.action.exited.stop'
  const maker = 'fixture:pod.exited'
  const pod = (status: string) => ({ gpu: { id: 'A40' }, id: 'p1', status })
  return [
    sampleRun(
      sampleLedger.map(({ id }) => id),
      more,
    ),
    sampleCreation(1, maker, {
      body: { name: 'plumbline-r0abc-1', image: 'busybox' },
      answer: pod('PROVISIONING'),
    }),
    sampleExchange(2, maker, { answer: pod('PROVISIONING') }),
    sampleExchange(3, maker, { answer: pod('STARTING') }),
    sampleExchange(4, 'auth.pods.missing', { headers: [], status: 401, answer: { title: 'missing' } }),
    sampleExchange(5, maker, { answer: pod('RUNNING') }),
    sampleExchange(6, stop, {
      operation: 'triggerPodAction',
      path: '/v2/pods/p1/action',
      body: { action: 'stop' },
      answer: { ...pod('EXITED'), note: '<img src=x onerror=alert(1)>' },
    }),
    sampleFinding(stop, 6, { observed: 'status 200 with <img src=x onerror=alert(1)>' }),
    sampleVerdict(stop, 'failed', { clauses: ['refused'], exchanges: 1 }),
    sampleVerdict('auth.pods.missing', 'passed'),
    { type: 'reading', rule: 'pods.action.terminated.any', name: 'answer', value: '404' },
    sampleVerdict('pods.action.terminated.any', 'observed'),
    sampleFinding('pods.shape.order', 5, {
      clause: 'forward',
      expected: 'a later status',
      observed: 'RUNNING after EXITED',
    }),
    sampleVerdict('pods.shape.order', 'advice', { exchanges: 9, clauses: ['forward'] }),
    sampleVerdict('pods.shape.cost', 'passed', { exchanges: 0 }),
    sampleVerdict('pods.action.race', 'blocked', {
      reason: 'a pod did not become RUNNING',
      by: 'a RUNNING GPU pod',
      exchanges: 0,
    }),
    sampleVerdict('pods.action.error.start', 'unclaimed', {
      reason:
        'pod.error is neither given nor declared absent; add pods: {statuses: {ERROR: {body: {image: AN_IMAGE_THAT_FAILS}}}}, or absent: {pod.error: REASON}',
      exchanges: 0,
    }),
    sampleVerdict('pods.mount.volume', 'not-applicable', {
      reason: 'volume is absent: no network volumes',
      exchanges: 0,
    }),
    sampleVerdict('limits.pods.minute', 'unverified', { reason: 'left out by a budget of 60 s', exchanges: 0 }),
    sampleExchange(7, 'cleanup', { operation: 'deletePod', status: 204, answer: { text: '' } }),
    { type: 'end', endedMs: sampleStartMs + 9_000, passedMs: 61_000, exchanges: 7, stopped: null },
  ]
}

function recorded(body: object): ExchangeEvent['request']['body'] {
  if ('text' in body || 'base64' in body || 'file' in body) return body as ExchangeEvent['request']['body']
  return { text: JSON.stringify(body) }
}
