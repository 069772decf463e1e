import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { listening } from '../../harness/testing/listening.ts'
import { parseTarget } from '../../target-file/load.ts'
import { createCommands, until } from '../shared/testing/commands.ts'
import { prompts } from './prompts.ts'

const commands = createCommands('init')
const key = { API_KEY: 'plumbline-example-full' }
let url: string
let log: () => string

beforeAll(async () => {
  const server = await commands.serve(['--log'])
  ;({ url } = server)
  log = server.said
})

afterAll(() => commands.close())

const init = (flags: string, environment: Record<string, string> = key) =>
  commands.run(['init', ...flags.replaceAll('URL', url).split(' ')], environment)

const textOf = (file: string) => readFileSync(join(commands.cwd, file), 'utf8')

test('it writes what it saw, by reads and probes that must be refused', async () => {
  const before = log().length
  const { code, said } = await init('--pods URL --queue URL --endpoint normal --target both.yaml', {
    ...key,
    SECOND_API_KEY: 'plumbline-example-second',
  })
  expect(said).toContain('both.yaml: requests was seen: queue: {requests: true}\n')
  expect(said).toContain('both.yaml: key.second has a variable that is set: keys: ')
  expect(said).toContain('both.yaml: written; ')
  expect(code).toBe(0)
  const written = textOf('both.yaml')
  expect(parse(written)).toEqual({
    plumbline: 1,
    pods: { url, cpu: 'catalog' },
    queue: { url, endpoints: { normal: 'normal' }, requests: true },
    keys: { full: `\${API_KEY}`, second: `\${SECOND_API_KEY}` },
    openapi: { url: `${url}/openapi.json` },
  })
  expect(written).toContain('\n  # gpu: {id: GPU_TYPE_ID} # GPU pods: the response to GET /v2/pods does not show it\n')
  expect(written).toContain('# a key of another account: STRANGER_API_KEY is not set\n')
  expect(log().slice(before)).not.toMatch(/\b(POST|PUT|PATCH|DELETE)\b/)
})

test('without pods, a restricted key has no permissions about them', async () => {
  const environment = { ...key, RESTRICTED_API_KEY: 'plumbline-example-restricted' }
  const { code } = await init('--queue URL --endpoint normal --target restricted.yaml', environment)
  expect(code).toBe(0)
  const { keys } = parse(textOf('restricted.yaml'))
  expect(keys.restricted).toEqual({ key: `\${RESTRICTED_API_KEY}` })
})

test('a list without a catalog beside it: the line that pods need instead', async () => {
  const server = createServer(({ url: path }, response) => {
    const isList = path === '/v2/pods'
    response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' }).end(isList ? '[]' : '{}')
  })
  const { code, said } = await init(`--pods ${await listening(server)} --target bare.yaml`)
  expect(said).toContain(
    'bare.yaml: catalog is claimed by default, but GET /v2/catalog/cpus returned 404; for a target without it, write pods: {cpu: ',
  )
  expect(code).toBe(0)
  expect(textOf('bare.yaml')).toContain(
    '\n  # cpu: {id: FLAVOR_ID, vcpuCount: 2, memory: 4} # for a target without a list of CPU flavors',
  )
})

test('a queue whose /health has another form', async () => {
  const server = createServer((_, response) => {
    const body = JSON.stringify({ jobs: { waiting: 0, inProgress: 0, completed: 1, failed: 0 }, workers: {} })
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  const { said } = await init(`--queue ${await listening(server)} --endpoint e --target health.yaml`)
  expect(said).toContain(
    'health.yaml: /health has no number at jobs.inQueue; write where it is as queue.health.inQueue',
  )
})

test('a load-balanced endpoint, and a clock that only moves when told', async () => {
  const { url: at } = await commands.serve(['--clock', 'control'])
  const flags = `--queue AT --endpoint normal --lb AT/lb/normal --target clock.yaml`
  const { code, said } = await init(flags.replaceAll('AT', at))
  expect(said).toContain('clock.yaml: written; ')
  expect(code, said).toBe(0)
  expect(parse(textOf('clock.yaml'))).toMatchObject({
    queue: { endpoints: { normal: 'normal' } },
    lb: { endpoints: { normal: `${at}/lb/normal` } },
    clock: { url: `${at}/plumbline/clock` },
  })
})

describe('a plane whose first read fails is written with a warning', () => {
  test('an address that is not a load-balanced endpoint', async () => {
    const { code, said } = await init('--lb URL --target lb.yaml')
    expect(said).toContain('lb.yaml: written; 13 lines are commented')
    expect(said).toContain(
      `lb.yaml: lb was not seen at ${url}: GET /ping returned 404; check lb.endpoints.normal (the address of one endpoint), and`,
    )
    expect(code).toBe(3)
  })

  test.for([429, 500])('a server that answers %s to everything', async (status) => {
    const server = createServer((_, response) => response.writeHead(status).end('{}'))
    const at = await listening(server)
    const { code, said } = await init(`--pods ${at} --target ${status}.yaml`, {
      ...key,
      EXPIRED_API_KEY: 'plumbline-example-expired',
    })
    expect(said).not.toMatch(/seen:|was seen\b/)
    expect(said).toContain(`pods was not seen at ${at}: GET /v2/pods returned ${status}; check pods.url`)
    expect(code).toBe(3)
  })
})

test('its comments are lines that a target file takes', async () => {
  await init('--pods URL --target lines.yaml')
  const uncommented = textOf('lines.yaml').replace(/^( *)# ([a-zA-Z]+: )/gm, '$1$2')
  const read = () => parseTarget(uncommented, { file: 'lines.yaml', environment: key })
  // Only their values are missing.
  expect(read).toThrow(/environment variable EXPIRED_API_KEY is not set/)
  expect(read).not.toThrow(/unknown key|expected|duplicate|YAML/)
})

test('--create makes a pod, after one that tries the flavor, and removes both', async () => {
  const before = log().length
  const { code, said } = await init('--pods URL --target created.yaml --create')
  expect(said).toContain('a pod was created and removed')
  expect(code).toBe(0)
  expect(
    log()
      .slice(before)
      .match(/POST \/v2\/pods 20\d/g),
  ).toHaveLength(2)
  const list = await fetch(`${url}/v2/pods`, { headers: { authorization: `Bearer ${key.API_KEY}` } })
  expect(await list.json()).toEqual({ pods: [] })
})

test('--create names the memory of the flavor, and shows the response that refuses the pod', async () => {
  const created: string[] = []
  const server = createServer(async (request, response) => {
    const { url: path, method = '' } = request
    if (method === 'POST') created.push(await text(request))
    const status = method === 'POST' ? 422 : 200
    const body = { GET: path === '/v2/catalog/cpus' ? [{ id: 'small' }] : [], POST: { detail: 'no image' } }[method]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const { code, said } = await init(`--pods ${await listening(server)} --target refused.yaml --create`)
  expect(created.find((body) => body.includes('"image"'))).toContain('"memory"')
  expect(said).toContain(
    'no pod was created and read: pods.create.read-back is blocked: a valid creation answered 422 {"detail":"no image"}',
  )
  expect(code).toBe(0)
})

test('a file is not overwritten without --force', async () => {
  writeFileSync(join(commands.cwd, 'mine.yaml'), 'mine')
  const { code, said } = await init('--pods URL --target mine.yaml')
  expect(said).toBe(
    'plumbline: mine.yaml exists; choose another file with --target FILE, overwrite it with --force, or add to it with node bin/plumbline.js doctor --fix --target mine.yaml\n',
  )
  expect(code).toBe(2)
  expect(textOf('mine.yaml')).toBe('mine')
  expect(await init('--pods URL --target mine.yaml --force')).toMatchObject({ code: 0 })
})

describe('one clear sentence, and no file', () => {
  test.each<[flags: string, message: string, code?: number]>([
    ['--pods URL --target .', 'plumbline: --target . is a folder; name a file'],
    ['--force', 'plumbline: init needs an address: --pods URL, --queue URL, --lb URL or --management URL'],
    ['--pods nowhere', 'plumbline: --pods: expected an address that begins with http:// or https://, got "nowhere"'],
    [
      '--pods URL/v2/pods',
      'Check --pods, to which paths such as /v2/pods are added, and pods.paths. URL responds as it should; try it.',
    ],
    ['--queue URL/sls --endpoint nope', 'queue.paths and --endpoint.\n'],
    ['--queue URL/v2/normal --endpoint normal', 'URL responds as it should; try it.\n'],
    ['--pods http://127.0.0.1:1', 'Check --pods and that the target is running.', 5],
    ['--pods URL/plumbline', 'does not look like the pod API of the Compute Platform API'],
    ['--pods me:secret@127.0.0.1:9571', 'begins with http:// or https://, got "…@127.0.0.1:9571"'],
    ['--queue URL', 'plumbline: --queue needs --endpoint ID'],
    ['--create --lb URL', 'plumbline: --create needs --pods URL'],
    ['--template t --pods URL', 'plumbline: --template needs --management URL'],
    [
      '--queue URL --endpoint nope',
      'does not have --endpoint "nope", or does not look like the queue-based endpoints of the Compute Platform API: /health and',
    ],
    [
      '--queue URL --endpoint nope',
      'Check --queue, to which paths such as /v2/ENDPOINT/run are added, queue.paths and --endpoint.',
    ],
    [
      '--pods URL --key-variable NOPE',
      'plumbline: --key-variable NOPE: environment variable NOPE is not set; set it and run again',
    ],
    [
      '--pods URL --key-variable sk-1',
      'plumbline: --key-variable takes the name of an environment variable, such as API_KEY, and not the key itself',
    ],
  ])('%s', async (flags, message, expected = 2) => {
    const { code, said } = await init(flags.includes('--target') ? flags : `--target none.yaml ${flags}`)
    expect(said.trimEnd().split('\n')).toHaveLength(1)
    expect(said).toContain(message.replace('URL responds', `${url} responds`))
    expect(code).toBe(expected)
    expect(existsSync(join(commands.cwd, 'none.yaml'))).toBe(false)
  })

  test('a key that is refused', async () => {
    const { code, said } = await init('--pods URL --target none.yaml', { API_KEY: 'plumbline-example-other' })
    expect(said).toBe(
      `plumbline: ${url} answered 401 to the key in API_KEY, so nothing can be judged. Check that the value of API_KEY is a valid key with all permissions.\n`,
    )
    expect(code).toBe(2)
  })
})

test('the questions on a terminal give the same options', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let shown = ''
  output.on('data', (chunk) => (shown += String(chunk)))
  const answers = prompts({ input, output })
  for (const [question, typed] of [
    ['pod API', 'https://a.test'],
    ['queue-based', 'https://q.test'],
    ['may send jobs to', 'mine'],
    ['Environment variable', ''],
  ] as const) {
    await until(() => shown.includes(question))
    for (const letter of typed) input.write(letter)
    input.write('\r')
  }
  expect(await answers).toEqual({
    pods: 'https://a.test',
    queue: 'https://q.test',
    endpoint: 'mine',
    keyVariable: 'API_KEY',
  })
})

test('Ctrl-C at a question ends them', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const answers = prompts({ input, output })
  input.write('\u0003')
  expect(await answers).toBeNull()
})
