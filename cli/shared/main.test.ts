import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listening } from '../../harness/testing/listening.ts'
import { textOf, until } from './testing/commands.ts'
import { type Printed, runHere } from './testing/in-process.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
const bin = fileURLToPath(new URL('../../bin/plumbline.js', import.meta.url))
const quick = 120_000
let cwd: string

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'plumbline-cli-'))
  writeFileSync(join(cwd, 'bad.yaml'), 'plumbline: 1\npods: https://a.test\nkeys: {full: inline}\n')
  writeFileSync(
    join(cwd, 'away.yaml'),
    'plumbline: 1\npods: http://127.0.0.1:1\nkeys: {full: plumbline-example-full}\n',
  )
})

test('a target of the deployment tool alone names the profile that judges it', { timeout: quick }, async () => {
  const commands = 'build: [t, "{project}", "{package}"], deploy: [t, "{project}"], list: [t], remove: [t, "{name}"]'
  writeFileSync(join(cwd, 'tool.yaml'), `plumbline: 1\ndeploy: {${commands}}\nkeys: {full: plumbline-example-full}\n`)
  const hint = 'no selected rule is about the target; add --profile deploy, which judges it'
  expect((await plumbline(['plan', '--target', 'tool.yaml'])).out).toContain(hint)
  expect((await plumbline(['plan', '--target', 'tool.yaml', '--profile', 'deploy'])).out).not.toContain(hint)
  expect((await plumbline(['doctor', '--target', 'tool.yaml'])).out).toContain('the deployment tool: deploy')
})

test('rules about what a target lacks name the section that is missing', { timeout: quick }, async () => {
  writeFileSync(
    join(cwd, 'pods.yaml'),
    'plumbline: 1\npods: http://127.0.0.1:1\nkeys: {full: plumbline-example-full}\n',
  )
  const { out } = await plumbline(['plan', '--target', 'pods.yaml', '--only', 'queue'])
  expect(out).toContain('no selected rule is about the target; add queue to the target file, which they judge')
})

test('load-balanced rules are inconclusive if another worker answers', { timeout: quick }, async () => {
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === 'Bearer plumbline-example-full'
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' }).end('{"status":"ok"}')
  })
  writeFileSync(
    join(cwd, 'lb.yaml'),
    `plumbline: 1\nlb: {endpoints: {normal: '${await listening(server)}'}, worker: true}\nkeys: {full: plumbline-example-full}\n`,
  )
  const { code, out } = await plumbline(['check', '--target', 'lb.yaml', '--only', 'lb.*'])
  expect(out).toContain('without the report of the conformance worker (spec/worker.md); deploy it')
  expect(out).not.toContain('FAILED')
  expect(code).toBe(3)
})

test('a check writes what --out promises, and a replay of it is the same', { timeout: quick }, async () => {
  const checked = await plumbline([
    'check',
    '--reference',
    '--only',
    'pods.action.running.stop',
    '--seed',
    '9',
    '--out',
    'out',
  ])
  expect(checked).toMatchObject({ code: 0 })
  expect(checked.out).toContain('conformant: core')
  const written = ['evidence.ndjson', 'junit.xml', 'report.html', 'results.json']
  expect(readdirSync(join(cwd, 'out')).sort()).toEqual(written)
  expect(written.filter((name) => readFileSync(join(cwd, 'out', name), 'utf8').includes('plumbline-example-'))).toEqual(
    [],
  )
  const replayed = await plumbline(['replay', 'out', '--out', 'again'])
  expect(replayed).toMatchObject({ code: 0, err: '' })
  expect(readFileSync(join(cwd, 'again', 'results.json'))).toEqual(readFileSync(join(cwd, 'out', 'results.json')))
  expect(replayed.out).toContain('results.json beside the record matches the record\n')

  const record = join(cwd, 'out', 'evidence.ndjson')
  const changed = readFileSync(record, 'utf8').replace(
    /("operation":"triggerPodAction".*\\"stop\\".*"response":\{"status":)200/,
    '$1409',
  )
  writeFileSync(record, changed)
  const rule = 'pods.action.running.stop'
  const stated = `evidence.ndjson: the verdict of ${rule} is passed, but its exchanges give failed\n`
  const kept = 'results.json: pods.action.running.stop was kept as passed, and the record gives failed\n'
  const why =
    'plumbline: the kept files differ from what the recorded exchanges give; they were changed or are damaged (exit 4)\n'
  expect(await plumbline(['replay', 'out'])).toMatchObject({ code: 4, err: stated + kept + why })
  rmSync(join(cwd, 'out', 'results.json'))
  expect(await plumbline(['replay', 'out'])).toMatchObject({ code: 4, err: stated + why })
  const verdict = /^\{"type":"verdict".*$/m
  for (const [as, said] of [
    ['$&\n$&', `the verdict of ${rule} is passed and passed, but its exchanges give failed`],
    ['', `the verdict of ${rule} is missing, but its exchanges give failed`],
    [
      JSON.stringify({ ...JSON.parse(verdict.exec(changed)?.[0] ?? ''), verdict: 'failed' }),
      `${rule} has findings or readings that its exchanges do not give, or lacks some`,
    ],
  ] as const) {
    writeFileSync(record, changed.replace(verdict, as))
    expect(await plumbline(['replay', 'out'])).toMatchObject({ code: 4, err: `evidence.ndjson: ${said}\n${why}` })
  }
})

test('the record of a run that a wrong target stopped is replayed as it was', { timeout: quick }, async () => {
  expect(await plumbline(['check', '--target', 'away.yaml', '--out', 'stopped'])).toMatchObject({ code: 5 })
  expect(await plumbline(['replay', 'stopped'])).toMatchObject({ code: 5, err: '' })
})

test('without --target, plumbline.yaml of the folder is the target', async () => {
  const folder = join(cwd, 'project')
  mkdirSync(folder)
  cpSync(join(cwd, 'away.yaml'), join(folder, 'plumbline.yaml'))
  const seen = await runHere(['doctor'], { cwd: folder })
  expect(seen).toMatchObject({ code: 0, err: 'target: ./plumbline.yaml\n' })
  expect(seen.out).toContain('http://127.0.0.1:1')
})

test('rules are listed with their tests', { timeout: quick }, async () => {
  // In a process: the file of a rule is read from the stack of its registration, which a test runner changes.
  const { code, out } = await started(['rules', '--json'])
  expect(code).toBe(0)
  const listed = JSON.parse(out) as { id: string; test: string | null; defects: string[] }[]
  expect(listed.find(({ id }) => id === 'pods.action.running.stop')?.test).toBe('suites/pods/action-table.suite.ts')
  expect(listed.every(({ defects }) => Array.isArray(defects))).toBe(true)
})

describe('on a served reference', () => {
  let server: ChildProcess
  let url: string

  beforeAll(async () => {
    server = start(['serve', '--port', '0', '--print-target', 'target.yaml'])
    const file = await textOf(join(cwd, 'target.yaml'), 'keys:')
    url = /url: (\S+)/.exec(file)?.[1] ?? ''
    // A creation that was cut off is looked for as long as a list may be old.
    writeFileSync(join(cwd, 'hasty.yaml'), `${file}\ntolerances: {visible: 1s}\n`)
  }, quick)

  afterAll(async () => {
    server.kill('SIGINT')
    expect(await ended(server)).toBe(0)
  })

  test('plan finds every plane of the target at its address', async () => {
    expect(await plumbline(['plan', '--target', 'target.yaml'])).toMatchObject({ code: 0, err: '' })
  })

  test('a taken port is one sentence', { timeout: quick }, async () => {
    const port = new URL(url).port
    expect(await plumbline(['serve', '--port', port])).toEqual({
      code: 2,
      out: '',
      err: `plumbline: port ${port} of 127.0.0.1 is in use; choose another with --port, or 0 for any that is free\n`,
    })
  })

  test('so is an address of another machine', async () => {
    expect(await plumbline(['serve', '--port', '0', '--host', '203.0.113.1'])).toEqual({
      code: 2,
      out: '',
      err: 'plumbline: --host 203.0.113.1 is not an address of this machine; 0.0.0.0 means all of them\n',
    })
  })

  test('its document is served, its real clock cannot be moved', async () => {
    expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0', servers: [{ url }] })
    expect((await fetch(`${url}/plumbline/clock`, { method: 'POST', body: '{"advanceMs":1}' })).status).toBe(409)
  })

  test('what a budget leaves out is named beforehand, unverified and exit 3', { timeout: quick }, async () => {
    const words = 'check --target target.yaml --budget 15s --only queue.endpoint-unknown --only queue.ttl.running'
    const seen = await plumbline([...words.split(' '), '--out', 'budget'])
    expect(seen.code).toBe(3)
    expect(seen.err).toContain('left out, and so unverified: 1 rule (queue.ttl.running)')
    const results = JSON.parse(readFileSync(join(cwd, 'budget', 'results.json'), 'utf8'))
    expect(results.rules).toMatchObject([
      { id: 'queue.endpoint-unknown', verdict: 'passed' },
      { id: 'queue.ttl.running', verdict: 'unverified', reason: expect.stringContaining('budget of 15s') },
    ])
  })

  test('Ctrl-C is 130 and leaves nothing behind', { timeout: quick }, async () => {
    const child = start(['check', '--target', 'hasty.yaml', '--only', 'pods.action.**'])
    await until(async () => (await pods()) > 0)
    child.kill('SIGINT')
    expect(await ended(child)).toBe(130)
    expect(await pods()).toBe(0)
    expect(readdirSync(join(cwd, '.plumbline', 'runs'))).toEqual([])
  })

  test('a rule that Ctrl-C interrupts has no verdict, though what it held is answered', {
    timeout: quick,
  }, async () => {
    // This seed sends the job to the normal endpoint.
    const words = 'check --target target.yaml --only queue.runsync.when-done --seed 2 --out held'
    const child = start(words.split(' '))
    await until(async () => (await running()) > 0)
    child.kill('SIGINT')
    expect(await ended(child)).toBe(130)
    const { rules } = JSON.parse(readFileSync(join(cwd, 'held', 'results.json'), 'utf8'))
    expect(rules).toMatchObject([{ id: 'queue.runsync.when-done', verdict: 'unverified' }])
  })

  test('Ctrl-C ends fuzzing as well, and what was found is written', { timeout: quick }, async () => {
    const child = start(['fuzz', '--target', 'hasty.yaml', '--json', 'fuzz.json'])
    await until(async () => (await pods()) > 0)
    child.kill('SIGINT')
    expect(await ended(child)).toBe(130)
    expect(await pods()).toBe(0)
    expect(readdirSync(join(cwd, '.plumbline', 'runs'))).toEqual([])
    expect(JSON.parse(readFileSync(join(cwd, 'fuzz.json'), 'utf8'))).toMatchObject({ format: 3, findings: [] })
  })

  test('kill -9 leaves what sweep removes', { timeout: quick }, async () => {
    const child = start(['check', '--target', 'hasty.yaml', '--only', 'pods.action.**'])
    await until(async () => (await pods()) > 0)
    expect((await plumbline(['sweep'])).err).toContain('is still active')
    expect(await pods()).toBeGreaterThan(0)
    child.kill('SIGKILL')
    await ended(child)
    await until(async () => (await plumbline(['sweep'])).out !== '')
    expect(await pods()).toBe(0)
    expect(readdirSync(join(cwd, '.plumbline', 'runs'))).toEqual([])
  })

  async function pods(): Promise<number> {
    const response = await fetch(`${url}/v2/pods`, { headers: { authorization: 'Bearer plumbline-example-full' } })
    return ((await response.json()) as { pods: unknown[] }).pods.length
  }

  /** Jobs of the normal endpoint that run. */
  async function running(): Promise<number> {
    const headers = { authorization: 'Bearer plumbline-example-full' }
    const response = await fetch(`${url}/v2/normal/health`, { headers })
    return ((await response.json()) as { jobs: { inProgress: number } }).jobs.inProgress
  }
})

test('a process prints what its command prints, and ends with its code', { timeout: quick }, async () => {
  const words = ['check', '--target', 'bad.yaml']
  const seen = await started(words)
  expect(seen).toEqual(await plumbline(words))
  expect(seen.code).toBe(2)
})

test('a command that is not built says so, under the versions of Node that it runs on', { timeout: quick }, () => {
  const folder = join(cwd, 'package')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  cpSync(bin, join(folder, 'bin', 'plumbline.js'))
  const under = (version: string) => {
    const versions = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
    const args = ['--import', `data:text/javascript,${encodeURIComponent(versions)}`]
    return spawnSync(process.execPath, [...args, join(folder, 'bin', 'plumbline.js')], { encoding: 'utf8' })
  }
  for (const version of ['22.19.0', '24.0.0', '26.1.0']) {
    const { status, stderr } = under(version)
    expect(stderr).toMatch(/^plumbline: it is not built yet \(.*main\.js is missing\); run npm run build\n$/)
    expect(status).toBe(2)
  }
  // There is no bundled Node beside it.
  for (const version of ['20.20.2', '22.18.0', '23.11.0', '25.9.0']) {
    const { status, stderr } = under(version)
    const remedy = `install one, or add it to this project with npm install --save-dev node-${process.platform}-${process.arch}@24`
    expect(stderr).toBe(
      `plumbline: it needs Node 22.19 or a newer 22, 24, or 26 and newer; this is ${version}; ${remedy}\n`,
    )
    expect(status).toBe(2)
  }
})

test('under npx a command ends with the shell that started it', { timeout: quick }, async () => {
  const folder = join(cwd, 'under-npx')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  mkdirSync(join(folder, 'dist', 'cli'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  cpSync(bin, join(folder, 'bin', 'plumbline.js'))
  // It takes a moment to end, and tells how many signals it got.
  const main = `process.removeAllListeners('SIGTERM'); let heard = 0
    process.on('SIGTERM', () => heard++ || setTimeout(() => { console.log('signals', heard); process.exit() }, 1_200))
    console.log('serves'); setInterval(() => {}, 60_000)`
  writeFileSync(join(folder, 'dist', 'cli', 'main.js'), main)
  const command = `"${process.execPath}" "${join(folder, 'bin', 'plumbline.js')}"; true`
  const shell = spawn('sh', ['-c', command], { env: { ...process.env, npm_lifecycle_event: 'npx' } })
  await new Promise((serves) => shell.stdout.once('data', serves))
  let said = ''
  shell.stdout.on('data', (text) => {
    said += text
  })
  shell.kill('SIGKILL')
  // Its output closes with the last process that holds it.
  await ended(shell)
  expect(said).toBe('signals 1\n')
})

function start(words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [main, ...words], {
    cwd,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
  })
}

/** A command that ends by itself, in this process. */
function plumbline(words: readonly string[]): Promise<Printed> {
  return runHere(words, { cwd })
}

/** The same in a process. */
async function started(words: readonly string[]): Promise<Omit<Printed, 'code'> & { readonly code: number | null }> {
  const child = start(words)
  const said = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => {
    said.out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    said.err += chunk
  })
  return { code: await ended(child), ...said }
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((done) => child.once('close', done))
}
