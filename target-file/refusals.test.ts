// biome-ignore-all lint/suspicious/noTemplateCurlyInString: target files name their variables so.
import { describe, expect, test } from 'vitest'
import { file, refusal } from './testing/parse.ts'

/** Faults in one part of the file: a text of that part, and the refusal without its place. */
const refusedParts: Readonly<Record<'pods' | 'keys' | 'more', Readonly<Record<string, string>>>> = {
  pods: {
    '{url: "https://a.test", change: locked}': 'pods.change: expected name, args or env, got "locked"',
    '{url: "https://a.test", capacity: "("}': 'pods.capacity: expected a regular expression, got "("',
    '{url: "https://a.test", statuses: {ERROR: {hook: [a, 7]}}}':
      'pods.statuses.ERROR.hook.1: expected a word of the command, a text, got 7',
    api: 'pods: expected an address that begins with http:// or https://, got "api"',
    'ftp://a.test': 'pods: expected an address that begins with http:// or https://, got "ftp://a.test"',
    'https://a.test/?x=1': 'pods: expected an address without a query or fragment',
    'https://u:p@a.test': 'pods: expected an address without a user name or password',
    'http://a.test':
      'pods: http to a.test would show the keys to the network: use https, or set pods.allowPlainHttp: true',
    '{url: "https://a.test", paths: {getPod: /v2/pods}}':
      'pods.paths.getPod: expected a path that begins with / and has {id} once, got "/v2/pods"',
    '{url: "https://a.test", volumeSecond: v}': 'pods.volumeSecond is given without pods.volume; add pods.volume',
    '{url: "https://a.test", persistent: {size: 10, path: /x}}': 'pods.persistent needs GPU pods; add pods.gpu',
  },
  keys: {
    '{}': 'keys.full is missing; expected ${NAME}, the variable that holds the key',
    '{full: abcdef}': 'keys.full: the key is written out; use ${NAME} and set that environment variable',
    '{full: "${NOPE}"}': 'keys.full: environment variable NOPE is not set; set it and run again',
    '{full: "${NOPE}", second: "${NOPE}", restricted: {key: "${NOPE}"}}':
      'keys.full, keys.second, keys.restricted.key: environment variable NOPE is not set; set it and run again',
    '{full: "${EMPTY}"}': 'keys.full: environment variable EMPTY is empty; set it and run again',
    '{full: "${SPACED}"}':
      'keys.full: environment variable SPACED contains a space or a character that a header cannot carry',
    '{full: "${API_KEY}", second: "${API_KEY}"}':
      'keys.second is the same key as keys.full; give another one or leave it out',
    '{full: "${API_KEY}", restricted: {key: "${RESTRICTED_API_KEY}", may: [stop], mayNot: [stop]}}':
      'keys.restricted: stop is under both may and mayNot; keep one',
  },
  more: {
    'tolerence: {}': 'tolerence: unknown key; did you mean tolerances?',
    'budget: {money: 3}': 'budget.money: unknown key; known: scenarios, requestsPerMinute, jobPrice, podPricePerHour',
    'known: [{rule: pods.patch.null, reason: later, expires: 2099-12-31, until: 2099-12-31}]':
      'known.0.until: unknown key; did you mean expires?',
    'budget: {<<: {jobPrice: 3}}':
      'budget.<<: unknown key; merge keys are not read: write the members out, or give the whole mapping as an alias',
    'load: {mixed: {getPod: 1}}': 'load.mixed.getPod: needs load.mixed.createPod, whose jobs or pods it is about',
    'load: {mixed: {listPods: 0}}': 'load.mixed.listPods: expected an integer from 1 to 1000, got 0',
    'tolerances: {poll: 0ms}': 'tolerances.poll: expected a length of time of at least 10ms, got 0ms',
    'tolerances: {staleness: 5h}':
      'tolerances.staleness: expected at most tolerances.visible (10s), after which each read shows a write, got 5h',
    'management: {url: "http://a.test", template: t}':
      'management.url: http to a.test would show the keys to the network: use https, or set management.allowPlainHttp: true',
    'management: {url: "https://a.test", template: t, gpus: [a, b, a]}':
      'management.gpus: expected a list of GPU type ids, got "a" twice',
    'receiver: {listen: "127.0.0.1:99999"}': 'receiver.listen: expected a port of at most 65535, got 99999',
    'absent: {key.expird: none}': 'absent.key.expird: unknown capability; did you mean key.expired?',
    'known: [{rule: auth.pods.mising, reason: r, expires: 2027-01-01}]':
      'known.0.rule: unknown rule auth.pods.mising; did you mean auth.pods.missing?',
    'known: [{rule: acme.one, reason: r, expires: 2027-01-01}]':
      'known.0.rule: unknown rule acme.one; plumbline rules lists all; a rule of your own needs --rules FOLDER',
    'network: {headers: {"a b": c}}': 'network.headers: expected the name of a header, got "a b"',
    'known: [{rule: auth.pods.missing, reason: r, expires: 2027-02-30}]':
      'known.0.expires: expected a date as YYYY-MM-DD, got "2027-02-30"',
    'clock: *none': 'the alias *none has no anchor before it; write the value out',
    'template: t': 'template: unknown key; move it to management',
    'name: !!binary aGVsbG8=': 'a tag (!name) has no meaning here; write the value without it',
    'budget: pods: 1': 'a second key on one line; give each key a line of its own',
    'name: @a': 'a value cannot begin with this character in YAML; put the value in quotes',
  },
}
const lineOf = { pods: 2, keys: 3, more: 4 } as const

describe.each(Object.entries(refusedParts) as [keyof typeof lineOf, Record<string, string>][])('%s', (part, faults) => {
  test.each(Object.entries(faults))('%s is refused', (text, message) => {
    expect(refusal(file({ [part]: text }))).toBe(`target.yaml:${lineOf[part]}: ${message}`)
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
    'a misspelt key in depth',
    file({ pods: '\n  url: https://a.test\n  volumeSecnd: x' }),
    'target.yaml:4: pods.volumeSecnd: unknown key; did you mean volumeSecond?',
  ],
  [
    'a number without a unit',
    file({ more: 'tolerances:\n  settle: 120' }),
    'target.yaml:5: tolerances.settle: expected a length of time with its unit, such as 500ms, 2s or 3m, got 120',
  ],
  [
    'a hook with half a quotation',
    file({ pods: `\n  url: https://a.test\n  statuses:\n    ERROR: {hook: "sh -c 'x"}` }),
    'target.yaml:5: pods.statuses.ERROR.hook: a quotation mark is not closed; close it, or write the words as a list',
  ],
  [
    'a mix of operations that are not offered',
    file({ more: 'load:\n  mixed:\n    run: 1\n    listPods: 1' }),
    'target.yaml:6: load.mixed.run: the file has no queue-based endpoints; add queue, or remove this key',
  ],
  ...['${NAME', '$NAME', '${MY NAME}', '${1KEY}'].map((written): [string, string, string] => [
    `a variable written ${written}`,
    file({ keys: `{full: '${written}'}` }),
    'target.yaml:3: keys.full: write a variable as ${NAME}; a name has letters, digits and _, and does not begin with a digit',
  ]),
  [
    'a variable that is not set, for a key of the deployment tool as well',
    file({
      keys: '{full: "${NOPE}"}',
      more: 'deploy: {build: [t, "{project}", "{package}"], deploy: [t, "{project}"], list: [t], remove: [t, "{name}"], environment: {KEY: "${NOPE}"}}',
    }),
    'target.yaml:3: keys.full, deploy.environment.KEY: environment variable NOPE is not set; set it and run again',
  ],
  [
    'given and absent',
    file({ pods: '{url: "https://a.test", volume: v}', more: 'absent: {volume: none}' }),
    'target.yaml:4: volume is both given and declared absent; remove one of the two',
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
    'a required key with a typing error',
    file().replace('keys:', 'kyes:'),
    'target.yaml:3: kyes: unknown key; did you mean keys?',
  ],
  [
    'a second document',
    `${file()}---\n`,
    'target.yaml:4: a second document begins here; keep one document per target file',
  ],
  ['a key twice', file({ more: 'name: a\nname: b' }), 'target.yaml:5: duplicate key in the same mapping; keep one'],
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

test('a command of the deployment tool without what it works on is refused', () => {
  const commands = 'build: [t, "{project}", "{packag}"], deploy: [t, "{project}"], list: [t], remove: [t]'
  const said = refusal(`plumbline: 1\ndeploy: {${commands}}\nkeys: {full: "\${API_KEY}"}\n`)
  expect(said).toContain('deploy.build has no {package}; add it where the command takes it')
  expect(said).toContain('deploy.remove has no {name}; add it where the command takes it')
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
