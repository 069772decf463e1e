// biome-ignore-all lint/suspicious/noTemplateCurlyInString: target files name their variables so.
import { expect, test } from 'vitest'
import { describeTarget, redactorOf, secretsOf } from '../harness/record/describe.ts'
import { parseTarget } from './load.ts'
import { environment, file, parse } from './testing/parse.ts'
import { writeTarget } from './write.ts'

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
