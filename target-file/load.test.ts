// biome-ignore-all lint/suspicious/noTemplateCurlyInString: target files name their variables so.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { beforeAll, describe, expect, test } from 'vitest'
import { openapi } from '../generated/openapi.ts'
import { operationsOf } from '../generated/operations.ts'
import { type RuleRow, rules } from '../generated/rules.ts'
import { claimOf, demand } from '../harness/claims/claims.ts'
import { allNeeds } from '../harness/claims/needs.ts'
import { defaultPaths } from '../harness/planes/pods/defaults.ts'
import { describeTarget, redactorOf, secretsOf } from '../harness/record/describe.ts'
import { temporary } from '../harness/testing/temporary.ts'
import { defaultTolerances } from '../target/tolerances.ts'
import type { Target } from '../target/types.ts'
import { TargetFileError } from './error.ts'
import { loadTarget, parseTarget, type Reading } from './load.ts'
import { writeTarget } from './write.ts'

const environment = {
  API_KEY: 'secret-full',
  SECOND_API_KEY: 'secret-second',
  RESTRICTED_API_KEY: 'secret-restricted',
  EXPIRED_API_KEY: 'secret-expired',
  STRANGER_API_KEY: 'secret-stranger',
  PODS_URL: 'https://api.example.com/',
  EMPTY: '',
  SPACED: 'a b',
  GATEWAY_KEY: 'gateway-key-5071',
  HOOK_URL: 'https://hooks.test/break/s3cr3t-path/',
  HOOK_LINE: './break.sh --token s3cr3t-line',
  HOOK_OPTION: '/opt/break --token=s3cretValue-0815',
  HOOK_HEADER: "curl -H 'Authorization: Bearer s3cretValue-0815'",
  HOOK_LOGIN: 'https://user:s3cretValue-0815@hooks.test',
  HOOK_WORDS: './break-it.sh dataCenterId createdAt PROVISIONING plumbline auth.pods.missing',
  HOOK_TOKEN: 's3cr3t-word',
  HOOK_SHORT: 's3cr3t',
}

function parse(text: string, clausesOf: Reading['clausesOf'] = () => []): Target {
  return parseTarget(text, { file: 'target.yaml', environment, clausesOf })
}

/** A whole file from the lines of its sections; what is not given is as in the smallest file. */
function file({ pods = 'https://api.example.com', keys = '{full: "${API_KEY}"}', more = '' } = {}): string {
  return `plumbline: 1\npods: ${pods}\nkeys: ${keys}\n${more}`
}

function refusal(text: string, clausesOf?: Reading['clausesOf']): string {
  try {
    parse(text, clausesOf)
  } catch (error) {
    if (error instanceof TargetFileError) return error.message
    throw error
  }
  return 'no refusal'
}

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

const refusals: readonly [name: string, text: string, message: string][] = [
  ['no mapping', 'hello', 'target.yaml:1: the file: expected a mapping that begins with plumbline: 1, got "hello"'],
  [
    'another version',
    file().replace('plumbline: 1', 'plumbline: 2'),
    'target.yaml:1: plumbline: expected 1, the version of the target file that this plumbline reads, got 2',
  ],
  [
    'a misspelt key',
    file({ more: 'tolerence: {}' }),
    'target.yaml:4: tolerence: unknown key; did you mean tolerances?',
  ],
  [
    'a misspelt key in depth',
    file({ pods: '\n  url: https://a.test\n  volumeSecnd: x' }),
    'target.yaml:4: pods.volumeSecnd: unknown key; did you mean volumeSecond?',
  ],
  [
    'an unknown key with none near',
    file({ more: 'budget: {money: 3}' }),
    'target.yaml:4: budget.money: unknown key; known: scenarios, requestsPerMinute, jobPrice, podPricePerHour',
  ],
  [
    'a merge key',
    file({ more: 'budget: {<<: {jobPrice: 3}}' }),
    'target.yaml:4: budget.<<: unknown key; merge keys are not read: write the members out, or give the whole mapping as an alias',
  ],
  [
    'a missing key',
    file({ keys: '{}' }),
    'target.yaml:3: keys.full is missing; expected ${NAME}, the variable that holds the key',
  ],
  [
    'a number without a unit',
    file({ more: 'tolerances:\n  settle: 120' }),
    'target.yaml:5: tolerances.settle: expected a length of time with its unit, such as 500ms, 2s or 3m, got 120',
  ],
  [
    'a field whose change does harm',
    file({ pods: '{url: "https://a.test", change: locked}' }),
    'target.yaml:2: pods.change: expected name, args or env, got "locked"',
  ],
  [
    'a capacity that is no regular expression',
    file({ pods: '{url: "https://a.test", capacity: "("}' }),
    'target.yaml:2: pods.capacity: expected a regular expression, got "("',
  ],
  [
    'a hook with half a quotation',
    file({ pods: `\n  url: https://a.test\n  statuses:\n    ERROR: {hook: "sh -c 'x"}` }),
    'target.yaml:5: pods.statuses.ERROR.hook: a quotation mark is not closed; close it, or write the words as a list',
  ],
  [
    'a hook that is no word',
    file({ pods: '{url: "https://a.test", statuses: {ERROR: {hook: [a, 7]}}}' }),
    'target.yaml:2: pods.statuses.ERROR.hook.1: expected a word of the command, a text, got 7',
  ],
  [
    'a mix of operations that are not offered',
    file({ more: 'load:\n  mixed:\n    run: 1\n    listPods: 1' }),
    'target.yaml:6: load.mixed.run: the file has no queue-based endpoints; add queue, or remove this key',
  ],
  [
    'a mix that reads pods and creates none',
    file({ more: 'load: {mixed: {getPod: 1}}' }),
    'target.yaml:4: load.mixed.getPod: needs load.mixed.createPod, whose jobs or pods it is about',
  ],
  [
    'a mix with a proportion of 0',
    file({ more: 'load: {mixed: {listPods: 0}}' }),
    'target.yaml:4: load.mixed.listPods: expected an integer from 1 to 1000, got 0',
  ],
  [
    'no pause between looks',
    file({ more: 'tolerances: {poll: 0ms}' }),
    'target.yaml:4: tolerances.poll: expected a length of time of at least 10ms, got 0ms',
  ],
  ...['${NAME', '$NAME', '${MY NAME}', '${1KEY}'].map((written): [string, string, string] => [
    `a variable written ${written}`,
    file({ keys: `{full: '${written}'}` }),
    'target.yaml:3: keys.full: write a variable as ${NAME}; a name has letters, digits and _, and does not begin with a digit',
  ]),
  [
    'an inline key',
    file({ keys: '{full: abcdef}' }),
    'target.yaml:3: keys.full: the key is written out; use ${NAME} and set that environment variable',
  ],
  [
    'a variable that is not set',
    file({ keys: '{full: "${NOPE}"}' }),
    'target.yaml:3: keys.full: environment variable NOPE is not set; set it and run again',
  ],
  [
    'a variable that is not set and that several keys name',
    file({ keys: '{full: "${NOPE}", second: "${NOPE}", restricted: {key: "${NOPE}"}}' }),
    'target.yaml:3: keys.full, keys.second, keys.restricted.key: environment variable NOPE is not set; set it and run again',
  ],
  [
    'a variable that is not set, for a key of the deployment tool as well',
    file({
      keys: '{full: "${NOPE}"}',
      more: 'deploy: {build: [t, "{project}", "{package}"], deploy: [t, "{project}"], list: [t], remove: [t, "{name}"], environment: {KEY: "${NOPE}"}}',
    }),
    'target.yaml:3: keys.full, deploy.environment.KEY: environment variable NOPE is not set; set it and run again',
  ],
  [
    'a variable that is empty',
    file({ keys: '{full: "${EMPTY}"}' }),
    'target.yaml:3: keys.full: environment variable EMPTY is empty; set it and run again',
  ],
  [
    'a key that no header may carry',
    file({ keys: '{full: "${SPACED}"}' }),
    'target.yaml:3: keys.full: environment variable SPACED contains a space or a character that a header cannot carry',
  ],
  [
    'one key under two names',
    file({ keys: '{full: "${API_KEY}", second: "${API_KEY}"}' }),
    'target.yaml:3: keys.second is the same key as keys.full; give another one or leave it out',
  ],
  [
    'a grant and its opposite',
    file({ keys: '{full: "${API_KEY}", restricted: {key: "${RESTRICTED_API_KEY}", may: [stop], mayNot: [stop]}}' }),
    'target.yaml:3: keys.restricted: stop is under both may and mayNot; keep one',
  ],
  [
    'an address that is none',
    file({ pods: 'api' }),
    'target.yaml:2: pods: expected an http or https address, such as https://api.example.com',
  ],
  [
    'another scheme',
    file({ pods: 'ftp://a.test' }),
    'target.yaml:2: pods: expected an http or https address, not ftp:',
  ],
  [
    'a query',
    file({ pods: 'https://a.test/?x=1' }),
    'target.yaml:2: pods: expected an address without a query or fragment',
  ],
  [
    'a password',
    file({ pods: 'https://u:p@a.test' }),
    'target.yaml:2: pods: expected an address without a user name or password',
  ],
  [
    'plain http to another host',
    file({ pods: 'http://a.test' }),
    'target.yaml:2: pods: http to a.test would show the keys to the network: use https, or set pods.allowPlainHttp: true',
  ],
  [
    'plain http on another plane',
    file({ more: 'management: {url: "http://a.test", template: t}' }),
    'target.yaml:4: management.url: http to a.test would show the keys to the network: use https, or set management.allowPlainHttp: true',
  ],
  [
    'a type twice',
    file({ more: 'management: {url: "https://a.test", template: t, gpus: [a, b, a]}' }),
    'target.yaml:4: management.gpus: expected a list of GPU type ids, got "a" twice',
  ],
  [
    'a port that is none',
    file({ more: 'receiver: {listen: "127.0.0.1:99999"}' }),
    'target.yaml:4: receiver.listen: expected a port of at most 65535, got 99999',
  ],
  [
    'a path without the pod',
    file({ pods: '{url: "https://a.test", paths: {getPod: /v2/pods}}' }),
    'target.yaml:2: pods.paths.getPod: expected a path that begins with / and has {id} once, got "/v2/pods"',
  ],
  [
    'a need that is unknown',
    file({ more: 'absent: {key.expird: none}' }),
    'target.yaml:4: absent.key.expird: unknown capability; did you mean key.expired?',
  ],
  [
    'given and absent',
    file({ pods: '{url: "https://a.test", volume: v}', more: 'absent: {volume: none}' }),
    'target.yaml:4: volume is both given and declared absent; remove one of the two',
  ],
  [
    'a second volume alone',
    file({ pods: '{url: "https://a.test", volumeSecond: v}' }),
    'target.yaml:2: pods.volumeSecond is given without pods.volume; add pods.volume',
  ],
  [
    'a persistent mount without GPU',
    file({ pods: '{url: "https://a.test", persistent: {size: 10, path: /x}}' }),
    'target.yaml:2: pods.persistent needs GPU pods; add pods.gpu',
  ],
  [
    'a rule that is unknown',
    file({ more: 'known: [{rule: auth.pods.mising, reason: r, expires: 2027-01-01}]' }),
    'target.yaml:4: known.0.rule: unknown rule auth.pods.mising; did you mean auth.pods.missing?',
  ],
  [
    'a rule of a vendor, without its folder',
    file({ more: 'known: [{rule: acme.one, reason: r, expires: 2027-01-01}]' }),
    'target.yaml:4: known.0.rule: unknown rule acme.one; plumbline rules lists all; a rule of your own needs --rules FOLDER',
  ],
  [
    'a header whose name has a space',
    file({ more: 'network: {headers: {"a b": c}}' }),
    'target.yaml:4: network.headers: expected the name of a header, got "a b"',
  ],
  [
    'a day that is none',
    file({ more: 'known: [{rule: auth.pods.missing, reason: r, expires: 2027-02-30}]' }),
    'target.yaml:4: known.0.expires: expected a date as YYYY-MM-DD, got "2027-02-30"',
  ],
  [
    'an alias without its anchor',
    file({ more: 'clock: *none' }),
    'target.yaml:4: the alias *none has no anchor before it; write the value out',
  ],
  [
    'an alias inside its own value',
    'plumbline: 1\npods: &a {url: "https://a.test", extra: *a}\nkeys: {full: "${API_KEY}"}\n',
    'target.yaml:2: the alias *a is inside the value that it stands for; write the value out',
  ],
  [
    'aliases that multiply',
    file({
      more: `name: &a x\nabsent: &b {${Array.from({ length: 20 }, (_, at) => `k${at}: *a`).join(', ')}}\nbudget: {${Array.from({ length: 20 }, (_, at) => `b${at}: *b`).join(', ')}}`,
    }),
    'target.yaml: too many aliases (*name); write the values out',
  ],
  [
    'a key of a section outside of it',
    file({ more: 'template: t' }),
    'target.yaml:4: template: unknown key; move it to management',
  ],
  [
    'a required key with a typing error',
    file().replace('keys:', 'kyes:'),
    'target.yaml:3: kyes: unknown key; did you mean keys?',
  ],
  [
    'a second document',
    `${file()}---\n`,
    'target.yaml:4: a second document begins here; keep one document per target file',
  ],
  [
    'a tag',
    file({ more: 'name: !!binary aGVsbG8=' }),
    'target.yaml:4: a tag (!name) has no meaning here; write the value without it',
  ],
  ['a key twice', file({ more: 'name: a\nname: b' }), 'target.yaml:5: duplicate key in the same mapping; keep one'],
  [
    'a key after another',
    file({ more: 'budget: pods: 1' }),
    'target.yaml:4: a second key on one line; give each key a line of its own',
  ],
  [
    'a variable in braces without quotes',
    'plumbline: 1\nkeys: {full: ${K}}\n',
    "target.yaml:2: invalid YAML (unexpected token); inside {…} and […] write '${NAME}' in quotes",
  ],
  [
    'a bracket that is never closed',
    'plumbline: 1\npods: [a\nkeys: {}\n',
    'target.yaml:3: invalid YAML (bad indent); a bracket, brace or quote before this is not closed',
  ],
  [
    'a brace that is never closed, with its variable in quotes',
    "plumbline: 1\nkeys: {full: '${K}'\nname: a\n",
    'target.yaml:3: invalid YAML (bad indent); a bracket, brace or quote before this is not closed',
  ],
  [
    'a variable in braces of several lines',
    'plumbline: 1\nkeys: {\n  full: ${K}\n}\n',
    "target.yaml:3: invalid YAML (unexpected token); inside {…} and […] write '${NAME}' in quotes",
  ],
  [
    'a line that is indented too far',
    'plumbline: 1\nname: a\n  keys: {}\n',
    'target.yaml:2: the line after this one is indented further than its parent; begin both in the same column',
  ],
  [
    'a value that begins with @',
    file({ more: 'name: @a' }),
    'target.yaml:4: a value cannot begin with this character in YAML; put the value in quotes',
  ],
  [
    'a colon without a space',
    'plumbline: 1\npods:http://127.0.0.1:1\nkeys: {}\n',
    'target.yaml:2: a key without a value; put a colon and a space after the key',
  ],
]

test.each(refusals)('is refused: %s', (_, text, message) => {
  expect(refusal(text)).toBe(message)
})

const everywhere: readonly [text: string, messages: readonly string[]][] = [
  [
    file({ keys: '{full: inline}', more: 'tolerances: {settle: 0ms}' }),
    [
      'target.yaml:3: keys.full: the key is written out; use ${NAME} and set that environment variable',
      'target.yaml:4: tolerances.settle: expected a length of time of at least 1ms, got 0ms',
    ],
  ],
  [
    `plumbline: 2
name: a
name: b
pods:
  url: http://a.test
  imagee: x
  gpu: {id: 7}
  persistent: {size: 9, path: /x}
  volumeSecond: v
queue: {url: https://q.test, endpoints: {normal: e, dedicated: e, executionTimeout: {id: f, after: 15}}}
keys:
  full: \${NOPE}
  second: \${NADA}
  restricted: {may: [stop], mayNot: [stop]}
absent: {key.expird: none}
tolerances: {settle: 120, poll: 0ms}
budget: 5
known:
  - {rule: auth.pods.mising, reason: r, expires: soon}
  - {rule: auth.pods.missing, clause: anserw, reason: r, expires: 2027-01-01}
`,
    [
      'target.yaml:1: plumbline: expected 1, the version of the target file that this plumbline reads, got 2',
      'target.yaml:3: duplicate key in the same mapping; keep one',
      'target.yaml:5: pods.url: http to a.test would show the keys to the network: use https, or set pods.allowPlainHttp: true',
      'target.yaml:6: pods.imagee: unknown key; did you mean image?',
      'target.yaml:7: pods.gpu.id: expected an id, a text, got 7',
      'target.yaml:8: pods.persistent.size: expected an integer of at least 10, in GB, got 9',
      'target.yaml:9: pods.volumeSecond is given without pods.volume; add pods.volume',
      'target.yaml:10: queue.endpoints.executionTimeout.after: expected a length of time with its unit, such as 500ms, 2s or 3m, got 15',
      'target.yaml:10: queue.endpoints.dedicated is flooded and purged, so it cannot be normal as well; give another endpoint or leave it out',
      'target.yaml:12: keys.full: environment variable NOPE is not set; set it and run again',
      'target.yaml:13: keys.second: environment variable NADA is not set; set it and run again',
      'target.yaml:14: keys.restricted.key is missing; expected ${NAME}, the variable that holds the key',
      'target.yaml:14: keys.restricted: stop is under both may and mayNot; keep one',
      'target.yaml:15: absent.key.expird: unknown capability; did you mean key.expired?',
      'target.yaml:16: tolerances.settle: expected a length of time with its unit, such as 500ms, 2s or 3m, got 120',
      'target.yaml:16: tolerances.poll: expected a length of time of at least 10ms, got 0ms',
      'target.yaml:17: budget: expected a mapping {scenarios?, requestsPerMinute?, jobPrice?, podPricePerHour?}, got 5',
      'target.yaml:19: known.0.expires: expected a date as YYYY-MM-DD, got "soon"',
      'target.yaml:19: known.0.rule: unknown rule auth.pods.mising; did you mean auth.pods.missing?',
      'target.yaml:20: known.1.clause: auth.pods.missing has no clause anserw; did you mean answer?',
    ],
  ],
  // What follows from a fault is not reported beside it.
  [
    'plumbline: 1\nqueue: 5\nkeys: [a]\n',
    [
      'target.yaml:2: queue: expected a mapping with url and endpoints, got 5',
      'target.yaml:3: keys: expected a mapping with full, such as {full: "${API_KEY}"}, got a list',
    ],
  ],
  [
    file({ pods: '{url: 5, gpu: 7, persistent: {size: 10, path: /x}, volume: [], volumeSecond: v}', keys: '{}' }),
    [
      'target.yaml:2: pods.url: expected an http or https address, got 5',
      'target.yaml:2: pods.gpu: expected a mapping {id, count?}, got 7',
      'target.yaml:2: pods.volume: expected an id, a text, got a list',
      'target.yaml:3: keys.full is missing; expected ${NAME}, the variable that holds the key',
    ],
  ],
]

test.each(everywhere)('all faults are reported at once, in the order of the file (%#)', (text, messages) => {
  expect(refusal(text, () => ['answer']).split('\n')).toEqual(messages)
})

test.each([
  file({ keys: '{full: s3cr3t}' }),
  file({ keys: '{full: [s3cr3t]}' }),
  file({ keys: '"s3cr3t"' }),
  'plumbline: 1\nkeys: {full: s3cr3t: }',
])('no refusal shows what stands under keys (%#)', (text) => {
  expect(refusal(text)).not.toContain('s3cr3t')
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

test.each<[hook: string, hook: object, described: object, secrets: object]>([
  [
    '"${HOOK_URL}"',
    { url: 'https://hooks.test/break/s3cr3t-path', secrets: ['https://hooks.test/break/s3cr3t-path'] },
    { url: '«hook.ERROR»' },
    { 'hook.ERROR': 'https://hooks.test/break/s3cr3t-path' },
  ],
  [
    '"${HOOK_LINE}"',
    { command: ['./break.sh', '--token', 's3cr3t-line'], secrets: ['./break.sh', '--token', 's3cr3t-line'] },
    { command: ['«hook.ERROR»', '«hook.ERROR.2»', '«hook.ERROR.3»'] },
    { 'hook.ERROR': './break.sh', 'hook.ERROR.3': 's3cr3t-line' },
  ],
  [
    '[./break.sh, "${HOOK_TOKEN}", "${HOOK_TOKEN}", "a $HOOK_TOKEN", "${HOOK_SHORT}"]',
    {
      command: ['./break.sh', 's3cr3t-word', 's3cr3t-word', 'a $HOOK_TOKEN', 's3cr3t'],
      secrets: ['s3cr3t-word', 's3cr3t-word', 's3cr3t'],
    },
    { command: ['./break.sh', '«hook.ERROR»', '«hook.ERROR»', 'a $HOOK_TOKEN', '«hook.ERROR.2»'] },
    { 'hook.ERROR': 's3cr3t-word' },
  ],
  [
    '"./break.sh ${HOOK_TOKEN} ${PODS_URL}"',
    {
      command: ['./break.sh', 's3cr3t-word', 'https://api.example.com/'],
      secrets: ['s3cr3t-word', 'https://api.example.com/'],
    },
    { command: ['./break.sh', '«hook.ERROR»', '«hook.ERROR.2»'] },
    { 'hook.ERROR': 's3cr3t-word' },
  ],
  [
    '"${PODS_URL}"',
    { url: 'https://api.example.com', secrets: ['https://api.example.com'] },
    { url: '«hook.ERROR»' },
    {},
  ],
])('what comes of the hook %s from the environment is a secret', (text, hook, described, secrets) => {
  const target = parse(file({ pods: `{url: "https://api.example.com", statuses: {ERROR: {hook: ${text}}}}` }))
  expect(target.pods?.recipes.ERROR?.hook).toEqual(hook)
  expect(describeTarget(target).pods?.recipes.ERROR?.hook).toEqual(described)
  const rest = Object.fromEntries(Object.entries(secretsOf(target)).filter(([name]) => !name.startsWith('key.')))
  expect(rest).toEqual(secrets)
})

test('a key that commands get too is recorded as the key, and an address that the file shows is not a secret', () => {
  const commands = 'build: [t, "{project}", "{package}"], deploy: [t, "{project}"], list: [t], remove: [t, "{name}"]'
  const variables = 'ACME_KEY: "${API_KEY}", ACME_URL: "${PODS_URL}", ACME_TOKEN: "${HOOK_TOKEN}"'
  const target = parseTarget(file({ more: `deploy: {${commands}, environment: {${variables}}}` }), {
    file: 'target.yaml',
    environment,
  })
  expect(redactorOf(target).text('secret-full https://api.example.com/ s3cr3t-word')).toBe(
    '«key.full» https://api.example.com/ «deploy.ACME_TOKEN»',
  )
})

test('a secret of the deployment tool is in no record, and too short to be kept out of it is refused', () => {
  const commands = 'build: [t, "{project}", "{package}"], deploy: [t, "{project}"], list: [t], remove: [t, "{name}"]'
  const given = (password: string) =>
    parseTarget(file({ more: `deploy: {${commands}, environment: {PASSWORD: "\${PW}"}}` }), {
      file: 'target.yaml',
      environment: { ...environment, PW: password },
    })
  expect(redactorOf(given('api.example.com')).text('login api.example.com')).toBe('login «deploy.PASSWORD»')
  expect(() => given('hunter2')).toThrow('deploy.environment.PASSWORD is shorter than 8 characters')
})

test('a command of the deployment tool without what it works on is refused', () => {
  const commands = 'build: [t, "{project}", "{packag}"], deploy: [t, "{project}"], list: [t], remove: [t]'
  const said = refusal(`plumbline: 1\ndeploy: {${commands}}\nkeys: {full: "\${API_KEY}"}\n`)
  expect(said).toContain('deploy.build has no {package}; add it where the command takes it')
  expect(said).toContain('deploy.remove has no {name}; add it where the command takes it')
})

test.each([
  ['HOOK_OPTION', '401 for token s3cretValue-0815', '401 for token «hook.ERROR.3»'],
  ['HOOK_HEADER', 'no such token: s3cretValue-0815', 'no such token: «hook.ERROR.6»'],
  ['HOOK_HEADER', 'sent Authorization: Bearer s3cretValue-0815', 'sent «hook.ERROR.3»'],
  ['[./break.sh, "${HOOK_LOGIN}"]', '401 for s3cretValue-0815', '401 for «hook.ERROR.3»'],
  ['HOOK_WORDS', './break-it.sh: PROVISIONING, dataCenterId', '«hook.ERROR»: PROVISIONING, dataCenterId'],
  ['HOOK_WORDS', 'plumbline/0.1.0 auth.pods.missing createdAt', 'plumbline/0.1.0 auth.pods.missing createdAt'],
])('of the hook %s, %s is recorded as %s', (hook, said, recorded) => {
  const text = hook.startsWith('[') ? hook : `"\${${hook}}"`
  const target = parse(file({ pods: `{url: "https://api.example.com", statuses: {ERROR: {hook: ${text}}}}` }))
  expect(redactorOf(target).text(said)).toBe(recorded)
})

test.each([
  'Server=db1;Password=s3cr3t-value;Db=x',
  'password=s3cr3t-value,user=ann',
  '{"token":"s3cr3t-value"}',
  '{"tokens": ["s3cr3t-value"]}',
  'token="s3cr3t-value"',
  "token='s3cr3t-value'",
  'login(token: s3cr3t-value)',
  'https://h/x?token=s3cr3t-value#f',
  'Bearer /s3cr3t-value',
  'https://ann:s3;cr,3t#va@h/x',
])('the value in %s is a secret by itself', (word) => {
  const pods = '{url: "https://api.example.com", statuses: {ERROR: {hook: [./break.sh, "${HOOK_WORD}"]}}}'
  const target = parseTarget(file({ pods }), { file: 'target.yaml', environment: { ...environment, HOOK_WORD: word } })
  const [value = ''] = /\/?s3cr3t-value|s3;cr,3t#va/.exec(word) ?? []
  expect(redactorOf(target).text(`401 for ${value}.`)).toMatch(/^401 for «hook\.ERROR(\.\d+)?»\.$/)
})

test.each([
  '[./break.sh, "--token=${HOOK_TOKEN}"]',
  '"./break.sh --token=${HOOK_TOKEN}"',
  '"http://a.test/?t=${HOOK_TOKEN}"',
])('the hook %s is refused: a variable is no part of a word', (hook) => {
  const text = file({ pods: `{url: "https://a.test", statuses: {ERROR: {hook: ${hook}}}}` })
  expect(refusal(text)).toContain(
    'pods.statuses.ERROR.hook: ${NAME} must be a whole address or word; set a variable to all of it, or write $NAME for a shell',
  )
})

test('an unclaimed need says which line claims it', () => {
  expect(() => demand(parse(file()), 'volume')).toThrow(
    'volume is neither given nor declared absent; add pods: {volume: VOLUME_ID}, or absent: {volume: REASON}',
  )
})

test('a description has marks for keys and nothing else changed', () => {
  const target = parse(file({ keys: '{full: "${API_KEY}", expired: "${EXPIRED_API_KEY}"}' }))
  expect(JSON.stringify(describeTarget(target))).not.toContain('secret-')
  const names = ['full', 'expired', 'altered', 'shortened', 'recased'] as const
  const marks = Object.fromEntries(names.map((name) => [name, `«key.${name}»`]))
  expect(describeTarget(target)).toEqual({ ...target, keys: marks })
  const values = ['secret-full', 'secret-expired', 'secret-ixoo', 'secret-ful', 'SECRET-FULL']
  expect(secretsOf(target)).toEqual(Object.fromEntries(names.map((name, at) => [`key.${name}`, values[at]])))
})

test('texts under a name that says that they are secret are secrets, and words of the API are none', () => {
  const input =
    '{s3Config: {accessId: AKIA0123456789, accessSecret: "b/c+d0123456789", bucketName: my-bucket}, token: short}'
  const pods = '{url: "https://api.example.com", extra: {env: {HF_TOKEN: "hf_0123456789", MODE: production}}}'
  const queue = `{url: "https://api.example.com", endpoints: {normal: e1}, input: ${input}}`
  const redactor = redactorOf(parse(file({ pods, more: `queue: ${queue}` })))
  expect(redactor.text('hf_0123456789 production AKIA0123456789 b%2fc%2bd0123456789 my-bucket short')).toBe(
    '«pods.extra.env.HF_TOKEN» production «queue.input.s3Config.accessId» «queue.input.s3Config.accessSecret» my-bucket short',
  )
})

test('forms of the full key are in no target file, and come out of no record', () => {
  const target = parse(file())
  expect(writeTarget(target)).not.toMatch(/ixoo|secret-ful\b|SECRET/)
  expect(redactorOf(target).text('secret-ixoo, secret-full, secret-ful, SECRET-FULL, Secret-Full')).toBe(
    '«key.altered», «key.full», «key.shortened», «key.recased», «key.full»',
  )
})

test.each([
  [
    'no/such/file.yaml',
    'no such target file; give the path of one with --target FILE (docs/target-file.md shows how to write it)',
  ],
  ['.', 'this is a folder; give the path of one with --target FILE (docs/target-file.md shows how to write it)'],
  [
    '/dev/zero',
    'this is a device or pipe; give the path of one with --target FILE (docs/target-file.md shows how to write it)',
  ],
])('a file that cannot be read is one sentence: %s', (name, why) => {
  expect(() => loadTarget(name, {})).toThrow(`${name}: ${why}`)
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
      'target.yaml:4: probe.url: expected an http or https address, such as https://api.example.com',
    ],
  ])('is refused: %s', (members, message) => {
    expect(refusal(withProbe(members))).toBe(message)
  })
})

describe('docs/target-file.md', () => {
  const page = readFileSync(new URL('../docs/target-file.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text)

  const folder = join(temporary, 'target-file')
  const parseBlock = (text: string) => parseTarget(text, { file: join(folder, 'target.yaml'), environment })

  beforeAll(async () => {
    const { cert, private: key } = await generate()
    mkdirSync(join(folder, 'certificates'), { recursive: true })
    for (const [name, pem] of Object.entries({ 'authority.pem': cert, 'client.pem': cert, 'client.key': key }))
      writeFileSync(join(folder, 'certificates', name), pem)
  })

  test.each(blocks)('block %# is a target file', (text) => {
    expect(() => parseBlock(text)).not.toThrow()
  })

  test('names every key of the schema', () => {
    const schema = readFileSync(new URL('../spec/schemas/target.schema.json', import.meta.url), 'utf8')
    const { properties } = JSON.parse(schema) as { properties: Record<string, { properties?: object }> }
    const names = Object.entries(properties).flatMap(([name, part]) => [name, ...Object.keys(part.properties ?? {})])
    expect(names.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`.${name}\``))).toEqual([])
  })

  test.each(['pods', 'queue', 'management'] as const)('has the default paths of %s', (plane) => {
    const rows = Object.entries<{ path: string }>(operationsOf(plane)).map(
      ([name, { path }]) => `| \`${plane}.paths\` | \`${name}\` | \`${path}\` |`,
    )
    expect(rows.filter((row) => !page.includes(row))).toEqual([])
  })

  test('names every need of a rule', () => {
    const needs = new Set(rules.flatMap((row: RuleRow) => [...row.needs, ...row.parts]))
    expect([...needs].filter((need) => !page.includes(`\`${need}\``))).toEqual([])
  })

  test('what is written reads as the same target', () => {
    for (const { pods, network } of blocks.map(parseBlock)) {
      if (pods === null) continue
      // Of the files of a network only the texts are known.
      const headers = { ca: null, certificate: null, headers: network.headers }
      const target = { ...parse(file({ keys: '{full: plumbline-example-full}' })), pods: { ...pods }, network: headers }
      const safe = { ...target, pods: { ...pods, url: 'https://a.test' } }
      expect(parse(writeTarget(safe))).toEqual(safe)
    }
  })
})
