// biome-ignore-all lint/suspicious/noTemplateCurlyInString: target files name their variables so.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openapi } from '../generated/openapi.ts'
import { rules } from '../generated/rules.ts'
import { claimOf, demand } from '../harness/claims/claims.ts'
import { allNeeds } from '../harness/claims/needs.ts'
import { defaultPaths } from '../harness/planes/pods/defaults.ts'
import { defaultTolerances } from '../target/tolerances.ts'
import type { Target } from '../target/types.ts'
import { loadTarget } from './load.ts'
import { file, parse, refusal } from './testing/parse.ts'
import { writeTarget } from './write.ts'

test('five lines are enough', () => {
  const target = parse('plumbline: 1\npods: https://api.example.com\nkeys:\n  full: ${API_KEY}\n')
  expect(target).toMatchObject({
    name: 'api.example.com',
    pods: { url: 'https://api.example.com', cpu: 'catalog', gpu: null, listAt: 'pods', image: 'nginx:1.29-alpine' },
    keys: { full: 'secret-full' },
    absent: {},
    clock: 'real',
    tolerances: defaultTolerances,
    budget: { scenarios: 16, requestsPerMinute: null, jobPrice: null, podPricePerHour: null, fuzzPods: null },
    queue: null,
    receiver: null,
    known: [],
  })
})

test.each(['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:80', 'https://a.test/base/'])(
  '%s is taken',
  (url) => {
    expect(parse(file({ pods: `"${url}"` })).pods?.url).toBe(new URL(url).href.replace(/\/$/, ''))
  },
)

test('absence of CPU pods takes the default of pods.cpu away', () => {
  const target = parse(file({ more: 'absent: {pods.cpu: none here}' }))
  expect(target.pods?.cpu).toBeNull()
  expect(claimOf(target, 'pods.cpu')).toEqual({ absent: 'none here' })
  expect(claimOf(target, 'pod.running')).toBe('unclaimed')
})

test('the field that PATCH changes is the name, another one, or none', () => {
  expect(parse(file()).pods?.change).toBe('name')
  expect(parse(file({ pods: '{url: "https://a.test", change: env}' })).pods?.change).toBe('env')
  const none = parse(file({ more: 'absent: {pods.change: names are given once}' }))
  expect(none.pods?.change).toBeNull()
  expect(claimOf(none, 'pods.change')).toEqual({ absent: 'names are given once' })
  expect(parse(writeTarget(none).replace('secret-full', '${API_KEY}'))).toEqual(none)
})

test.each<[hook: string, parsed: object]>([
  ['./break.sh --hard', { command: ['./break.sh', '--hard'] }],
  [`"node 'a b.js' --say=\\"hello there\\""`, { command: ['node', 'a b.js', '--say=hello there'] }],
  ['[./break.sh, "a b"]', { command: ['./break.sh', 'a b'] }],
  ['http://hooks.test:9000/exit/', { url: 'http://hooks.test:9000/exit' }],
])('the hook %s', (hook, parsed) => {
  const pods = (target: Target) => target.pods?.recipes
  const target = parse(file({ pods: `{url: "https://a.test", statuses: {EXITED: {hook: ${hook}}}}` }))
  expect(pods(target)).toEqual({ EXITED: { body: {}, actions: [], hook: parsed } })
  expect(pods(parse(writeTarget(target).replace('secret-full', '${API_KEY}')))).toEqual(pods(target))
})

test('an unclaimed need says which line claims it', () => {
  expect(() => demand(parse(file()), 'volume')).toThrow(
    'volume is neither given nor declared absent; add pods: {volume: VOLUME_ID}, or absent: {volume: REASON}',
  )
})

test.each([
  ['no/such/file.yaml', 'no such target file; name a target file (docs/target-file.md shows how to write one)'],
  ['.', 'this is a folder; name a target file (docs/target-file.md shows how to write one)'],
  ['/dev/zero', 'this is a device or pipe; name a target file (docs/target-file.md shows how to write one)'],
])('a file that cannot be read is one sentence: %s', (name, why) => {
  expect(() => loadTarget(name, {})).toThrow(`${name}: ${why}`)
})

test('a file in another encoding is one sentence', () => {
  const name = join(mkdtempSync(join(tmpdir(), 'plumbline-encoding-')), 'target.yaml')
  writeFileSync(name, Buffer.from('plumbline: 1\nname: caf\u00e9\n', 'latin1'))
  expect(() => loadTarget(name, {})).toThrow(`${name}: this is not UTF-8; save it with that encoding`)
})

const claimedByDefault = [
  'pod.provisioning',
  'pod.starting',
  'pod.running',
  'pod.exited',
  'pods.cpu',
  'catalog',
  'pods.memory',
  'pods.change',
  'quota.reachable',
  'stream',
  'queue.large',
]

test.each(claimedByDefault)('%s is claimed by default, and may be declared absent', (need) => {
  const more = 'queue: {url: "https://q.example.com", endpoints: {normal: e}}\n'
  expect(claimOf(parse(file({ more })), need)).toBe('given')
  expect(claimOf(parse(file({ more: `${more}absent: {${need}: none}` })), need)).toEqual({ absent: 'none' })
})

test.each([
  ['pod.starting', 'pods: {url: "https://a.test", statuses: {STARTING: {body: {image: slow}}}}'],
  ['pods.cpu', 'pods: {url: "https://a.test", cpu: catalog}'],
  ['pods.change', 'pods: {url: "https://a.test", change: env}'],
  ['stream', 'queue: {url: "https://q.test", endpoints: {normal: e}, stream: true}'],
])('%s is not both written and declared absent', (need, line) => {
  const text = `plumbline: 1\nkeys: {full: "${'${API_KEY}'}"}\n${line}\nabsent: {${need}: none}`
  expect(refusal(text)).toBe(`target.yaml:4: ${need} is both given and declared absent; remove one of the two`)
})

test('every need of the ledger can be declared absent', () => {
  const unknown = rules.flatMap((row): readonly string[] => row.needs).filter((need) => allNeeds()[need] === undefined)
  expect(unknown).toEqual([])
})

test('default paths are those of the API document', () => {
  const paths = Object.entries(openapi.paths) as [string, Record<string, { operationId?: string }>][]
  const byOperation = paths.flatMap(([path, methods]) =>
    Object.values(methods).map(({ operationId }) => [operationId, path]),
  )
  expect(Object.fromEntries(byOperation)).toMatchObject(defaultPaths)
})

describe('the queue plane', () => {
  const head = 'plumbline: 1\nkeys: {full: "${API_KEY}"}\n'
  const smallest = `${head}queue: {url: https://q.example.com/, endpoints: {normal: e-1}}\n`

  test('an address and one endpoint are enough, without a pod API', () => {
    expect(parse(smallest)).toMatchObject({
      name: 'q.example.com',
      pods: null,
      receiver: null,
      queue: {
        url: 'https://q.example.com',
        paths: { runJob: '/v2/{endpoint}/run', cancelJob: '/v2/{endpoint}/cancel/{job}' },
        endpoints: { normal: 'e-1', dedicated: null, executionTimeout: null },
        executionTimeoutMs: null,
        worker: false,
        workers: 3,
        perWorkerRate: null,
        input: null,
        stream: { at: 'stream', outputAt: 'output', form: 'new' },
        requests: false,
        openai: false,
      },
    })
  })

  test('what is given is claimed, and what is not is unclaimed', () => {
    const target = parse(`${head}queue:
  url: https://q.example.com
  endpoints: {normal: a, dedicated: b, twoWorkers: b, executionTimeout: {id: c, after: 15s}}
  worker: true
  stream: false
  perWorkerRate: {run: 10, status: 50}
  input: {prompt: a cat}
receiver: {listen: "0.0.0.0:8787", url: "http://suite.test/in/"}
absent: {endpoint.second: one is all there is}
`)
    expect(target.queue?.executionTimeoutMs).toBe(15_000)
    expect(target.queue).toMatchObject({ perWorkerRate: { run: 10, status: 50 }, input: { prompt: 'a cat' } })
    expect(target.receiver).toEqual({ listen: '0.0.0.0:8787', url: 'http://suite.test/in' })
    const claims = (...names: string[]) => names.map((name) => claimOf(target, name))
    const given = ['queue', 'worker', 'receiver', 'endpoint.dedicated', 'endpoint.two-workers']
    expect(claims(...given, 'endpoint.execution-timeout', 'endpoint.per-worker-rate')).toEqual(Array(7).fill('given'))
    const open = ['pods', 'stream', 'requests', 'openai', 'endpoint.scale-to-zero', 'endpoint.no-execution-timeout']
    expect(claims(...open)).toEqual(Array(6).fill('unclaimed'))
    expect(claims('endpoint.second')).toEqual([{ absent: 'one is all there is' }])
    expect(parse(writeTarget(target).replace('secret-full', '${API_KEY}'))).toEqual(target)
  })

  test.each([
    [
      'no plane at all',
      head,
      'target.yaml:1: the file has no plane; add at least one of pods (the pod API), queue (the queue-based endpoints), lb (a load-balanced endpoint), management (endpoint management), deploy (the deployment tool), openapi (the API document), probe (the probe in the containers of pods), such as pods: https://api.example.com',
    ],
    [
      'the dedicated endpoint in another part',
      smallest.replace('normal: e-1', 'normal: e-1, dedicated: e-1'),
      'target.yaml:3: queue.endpoints.dedicated is flooded and purged, so it cannot be normal as well; give another endpoint or leave it out',
    ],
    [
      'one endpoint twice',
      smallest.replace('normal: e-1', 'normal: e-1, second: e-1'),
      'target.yaml:3: queue.endpoints.second is the same endpoint as normal; give another one',
    ],
    ...[
      ['normal', 'normal: e-1, executionTimeout: {id: e-1, after: 15s}'],
      ['noExecutionTimeout', 'normal: e-1, noExecutionTimeout: e-2, executionTimeout: {id: e-2, after: 15s}'],
    ].map(([role, ids = '']) => [
      `the timeout of an endpoint that is ${role}`,
      smallest.replace('normal: e-1', ids),
      `target.yaml:3: queue.endpoints.executionTimeout ends jobs early, so it cannot be ${role} as well; give another endpoint or leave it out`,
    ]),
    [
      'a receiver that nobody finds',
      `${smallest}receiver: {listen: "0.0.0.0:8787"}\n`,
      'target.yaml:4: receiver.url is missing; add the address at which the target reaches this listener',
    ],
    [
      'a rate of an operation that has none',
      smallest.replace('url:', 'perWorkerRate: {health: 5}, url:'),
      'target.yaml:3: queue.perWorkerRate.health: unknown key; known: run, runsync, status, stream, cancel, purge, openai, requests',
    ],
    [
      'a path without the endpoint',
      smallest.replace('url:', 'paths: {runJob: /run}, url:'),
      'target.yaml:3: queue.paths.runJob: expected a path that begins with / and has {endpoint} once, with its method before it if that is another one, got "/run"',
    ],
  ])('is refused: %s', (_, text, message) => {
    expect(refusal(text)).toBe(message)
  })
})

describe('the probe', () => {
  const withProbe = (members: string) => file({ more: `probe: {image: probe:1, ${members}}\n` })

  test.each([
    ['without a template', 'port: 8000/tcp', { port: '8000/tcp', address: null }],
    [
      'with a template',
      `port: 8000/http, url: 'https://{id}-{port}.proxy.test/'`,
      { port: '8000/http', address: 'https://{id}-{port}.proxy.test' },
    ],
    ['over plain http', `port: 80/http, url: 'http://proxy.test/{id}'`, { address: 'http://proxy.test/{id}' }],
  ])('is read and written the same: %s', (_, members, probe) => {
    const target = parse(withProbe(members))
    expect(target.probe).toMatchObject({ url: null, image: 'probe:1', ...probe })
    expect(parse(writeTarget(target).replace('secret-full', '${API_KEY}')).probe).toEqual(target.probe)
    expect(claimOf(target, 'probe')).toBe('given')
  })

  test.each([
    ['port: 8000', 'target.yaml:4: probe.port: expected a port and its protocol, such as 8000/http, got 8000'],
    [
      `port: 80/http, url: 'https://proxy.test'`,
      'target.yaml:4: probe.url has no {id}; add it where the address has the id of the pod',
    ],
    [
      `port: 80/http, url: '{id}.proxy.test'`,
      'target.yaml:4: probe.url: expected an address that begins with http:// or https://, got "pod.proxy.test"',
    ],
  ])('is refused: %s', (members, message) => {
    expect(refusal(withProbe(members))).toBe(message)
  })
})
