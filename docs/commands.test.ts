import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textIn } from 'node:stream/consumers'
import { parse } from 'shell-quote'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runHere } from '../cli/shared/testing/in-process.ts'

// Every command that the documents show is run as it stands there. `plumbline` is the sources, and the address of the
// README's example is that of a reference that is served for the purpose.

/** A folder that holds only the installed package, which runs the commands then (`scripts/installed.mjs`). */
const installed = process.env.PLUMBLINE_INSTALLED
const root =
  installed === undefined ? join(import.meta.dirname, '..') : join(installed, 'node_modules', 'plumbline-conformance')
const main = join(root, installed === undefined ? 'cli/main.ts' : 'bin/plumbline.js')
const dir = installed ?? mkdtempSync(join(tmpdir(), 'plumbline-docs-'))
const served = join(dir, 'served.yaml')
const environment = { API_KEY: 'plumbline-example-full' }
/** What `npm test` itself consists of; running it from a test would never end. */
const ofThePackage = new Set(['npm ci', 'npm test', 'npm run build', 'npm run check', 'npm run generate'])

const example = 'https://api.example.com'

interface Shown {
  readonly file: string
  readonly line: string
}

/** Documents whose commands need a clone. */
const ofTheClone: ReadonlySet<string> = new Set(['CONTRIBUTING.md', 'docs/mutants.md', 'docs/writing-a-rule.md'])

const shown = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(root, 'docs')).map((name) => join('docs', name))]
  .filter((file) => file.endsWith('.md') && !(installed !== undefined && ofTheClone.has(file)))
  .flatMap((file) => commandsIn(file))
  // A command that two documents show is run once.
  .filter(({ line }, place, all) => all.findIndex((other) => other.line === line) === place)

const servers: ChildProcess[] = []

beforeAll(async () => {
  writeRules()
  const all = [
    ['--clock', 'control', '--print-target', served],
    // Latencies are measured in real time.
    ['--latency', '5ms', '--print-target', join(dir, 'old.yaml')],
  ].map((flags) => plumbline(['serve', '--port', '0', ...flags]))
  servers.push(...all)
  await Promise.all(all.map((child) => printed(child)))
  copyFileSync(join(dir, 'old.yaml'), join(dir, 'new.yaml'))
  // The file that the documents name; docs/target-file.md shows it.
  const target = `plumbline: 1\npods: ${address()}\nkeys: {full: '\${API_KEY}'}\n`
  writeFileSync(join(dir, 'target.yaml'), target + clock())
  const har = readFileSync(join(import.meta.dirname, '..', 'traffic', 'testing', 'chromium.har'), 'utf8')
  const [, judged = ''] = /"url": ?"(http[^"]*)\/v2/.exec(har) ?? []
  writeFileSync(join(dir, 'traffic.har'), har.replaceAll(judged, address()))
}, 120_000)

afterAll(() => {
  for (const server of servers) server.kill()
})

describe('every command that the documents show works', () => {
  test.each(shown.map(({ file, line }) => [file, line] as const))(
    '%s: %s',
    async (_, line) => {
      for (const command of line.split('&&').map((part) => part.trim())) await runs(command)
    },
    120_000,
  )
})

async function runs(command: string): Promise<void> {
  // `scripts/installed.mjs` packs and installs.
  if (ofThePackage.has(command) || /^npm (run mutate|install) /.test(command)) return
  if (command.startsWith('printf ')) return writeExample(command)
  if (command.startsWith('export ')) return
  const words = parse(command).map(String)
  if (words[0] === 'openssl')
    return expect(spawnSync('openssl', words.slice(1), { cwd: dir })).toMatchObject({ status: 0 })
  if (words[0] === 'curl') {
    const args = words.slice(1).map((word) => word.replace('http://127.0.0.1:8080', address()))
    return expect(spawnSync('curl', ['--fail', ...args])).toMatchObject({ status: 0 })
  }
  if (words[2] === 'own') return expect(spawnSync('npm', words.slice(1), { cwd: root })).toMatchObject({ status: 0 })
  const at = words.findIndex((word) => ['plumbline', 'bin/plumbline.js', 'cli/main.ts'].includes(word))
  expect(at, `no test knows how to run: ${command}`).toBeGreaterThanOrEqual(0)
  // Programs are named by where they are in a clone.
  const args = small(words.slice(at + 1))
    .filter((word) => word !== '--')
    .map((word) => word.replace('python3 suites/', `python3 ${root}/suites/`).replace(example, address()))
  // Rules of a vendor stay in the process that loads them.
  if (args.includes('--rules'))
    return expect(spawnSync(process.execPath, [main, ...args], { cwd: dir })).toMatchObject({ status: 0 })
  if (args[0] === 'proxy') return expect(await run([...args, '--port', '0'], 'forwards to')).toMatchObject({ code: 3 })
  if (args[0] !== 'serve' || args.includes('--list')) {
    const { code, out } = await run(args)
    // This machine may be too busy for a measurement, and a stored run was measured while it was less busy.
    const busyCodes = args.includes('--no-check') ? [0, 1, 3] : [0, 3]
    if (args[0] === 'regress') return expect(busyCodes, out).toContain(code)
    expect(code, out).toBe(0)
    return
  }
  // The port that a document names, or that is usual, may be taken by something else on this machine.
  const port = args.indexOf('--port')
  const onAnyPort = [...(port === -1 ? args : args.toSpliced(port, 2)), '--port', '0']
  const served = await run(onAnyPort, 'keys:')
  expect(served).toMatchObject({ code: 0, out: expect.stringContaining('plumbline: 1') })
}

/** The rules that docs/library.md shows. */
function writeRules(): void {
  const acme = join(import.meta.dirname, '..', 'library', 'testing', 'acme', 'rules')
  mkdirSync(join(dir, 'rules'))
  copyFileSync(join(acme, 'listed.ts'), join(dir, 'rules', 'listed.ts'))
  const [row = ''] = readFileSync(join(acme, 'rules.yaml'), 'utf8').split('\n')
  writeFileSync(join(dir, 'rules', 'rules.yaml'), row)
}

/** Writes an example file. */
function writeExample(command: string): void {
  const words = parse(command, (name) => `\${${name}}`)
  const text = String(words[1]).replaceAll('\\n', '\n')
  const file = String(words.at(-1))
  writeFileSync(join(dir, file), text)
}

/** The line of a target file about the clock of the served reference. */
function clock(): string {
  return `clock: {url: ${address()}/plumbline/clock}\n`
}

/** The address of the served reference. */
function address(): string {
  return /url: (http\S+)/.exec(readFileSync(served, 'utf8'))?.[1] ?? ''
}

function commandsIn(file: string): Shown[] {
  const blocks = [...readFileSync(join(root, file), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  return blocks
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) => line.replace(/\s+#\s.*$/, '').trim())
    .filter((line) => line !== '')
    .map((line) => ({ file, line }))
}

/** Runs a command to its end, or until it has printed `endAfter`. */
async function run(args: readonly string[], endAfter?: string): Promise<{ code: number | null; out: string }> {
  if (installed === undefined)
    return runHere(args, { cwd: dir, environment, ...(endAfter === undefined ? {} : { endAfter }) })
  const child = plumbline(args)
  const ended = once(child, 'close')
  const out = endAfter === undefined ? textIn(child.stdout) : printed(child, endAfter).finally(() => child.kill())
  const err = textIn(child.stderr)
  const [code] = await ended
  return { code, out: (await out) + (code === 0 ? '' : await err) }
}

/** The same command about fewer rules and cases; a certificate needs a target that claims what they need. */
function small(args: readonly string[]): string[] {
  const fewer = args.map((word, at) => (args[at - 1] === '--runs' ? '20' : word))
  if (args[0] === 'certify')
    return [...fewer.map((word) => word.replace('target.yaml', 'served.yaml')), '--profile', 'inside']
  const isWhole = args[0] === 'check' && !args.includes('--only') && !args.includes('--rerun-failed')
  return isWhole ? [...fewer, '--only', 'pods.action.exited.*'] : fewer
}

function plumbline(args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [main, ...args], {
    cwd: dir,
    env: { ...process.env, ...environment },
  })
}

/** The output of a server once it has this part; default: the end of its target file. */
function printed(child: ChildProcess, part = 'keys:'): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += String(chunk)
      if (text.includes(part)) resolve(text)
    })
    child.on('exit', () => reject(new Error(`serve ended: ${text}`)))
  })
}
