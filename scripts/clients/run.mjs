// Runs clients of others against `plumbline serve`, unchanged: four that are generated from its document, and a page in
// Chromium, which also reads the HTML report. The requests of Chromium and k6 are judged from a HAR. Their tools are installed
// into out/clients. Names as arguments run only those.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { startServing } from '../serving.mjs'
import { createsPod } from './browser.mjs'
import { readsReports } from './report.mjs'

const versions = {
  typescript: ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3', '@types/node@24.10.1'],
  typed: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@24.10.1'],
  python: ['openapi-python-client==0.29.1'],
  go: ['github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2', 'github.com/oapi-codegen/runtime@v1.8.0'],
  browser: ['playwright-core@1.65.1'],
  k6: ['k6, as load/k6/go.mod pins it'],
  report: ['playwright-core@1.65.1', 'axe-core@4.14.1'],
}
const here = import.meta.dirname
const out = join(here, '..', '..', 'out', 'clients')
const clients = { typescript, typed, python, go, browser, k6, report }
const plumbline = join(here, '..', '..', 'bin', 'plumbline.js')
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in clients))
if (unknown.length > 0) throw new Error(`unknown client ${unknown}; choose from ${Object.keys(clients)}`)

/** Lines that the server logged for the present client. */
const lines = []
const served = await startServing(['--log'], (line) => lines.push(line))
for (const [name, client] of Object.entries(clients)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const folder = join(out, name)
  lines.length = 0
  try {
    mkdirSync(folder, { recursive: true })
    await client(folder, served.url)
    process.stdout.write(`ok: ${name} (${versions[name][0]}), ${lines.length} requests\n`)
  } catch (error) {
    process.stdout.write(`FAILED: ${name} (${versions[name][0]}): ${error.message}\n`)
    process.exitCode = 1
  }
}
await served.end()

async function typescript(folder, url) {
  await npmInstall(folder, versions.typescript)
  rmSync(join(folder, 'client'), { recursive: true, force: true })
  await run(folder, binOf(folder, 'openapi-ts'), ['--input', `${url}/openapi.json`, '--output', 'client'])
  await compileAndRun(folder, 'journey')
}

async function typed(folder, url) {
  await npmInstall(folder, versions.typed)
  await run(folder, binOf(folder, 'openapi-typescript'), [`${url}/openapi.json`, '--output', 'api.ts'])
  await compileAndRun(folder, 'typed', url)
}

/** Compiles a file of this folder in strict mode and runs it. */
async function compileAndRun(folder, name, ...args) {
  const options = { module: 'nodenext', target: 'es2024', strict: true, types: ['node'], outDir: 'js' }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: [`${name}.ts`] }))
  copyFileSync(join(here, `${name}.ts`), join(folder, `${name}.ts`))
  await run(folder, binOf(folder, 'tsc'), ['--project', '.'])
  await run(folder, process.execPath, [join('js', `${name}.js`), ...args])
}

function binOf(folder, name) {
  return join(folder, 'node_modules', '.bin', name)
}

async function python(folder, url) {
  const bin = (name) => join(folder, 'venv', 'bin', name)
  if (!existsSync(bin('python'))) await run(folder, 'python3', ['-m', 'venv', 'venv'], 'install Python 3.11 or newer')
  await run(folder, bin('pip'), ['install', '--quiet', '--disable-pip-version-check', ...versions.python])
  const output = ['--output-path', 'generated', '--meta', 'none', '--overwrite']
  await run(folder, bin('openapi-python-client'), ['generate', '--url', `${url}/openapi.json`, ...output])
  copyFileSync(join(here, 'journey.py'), join(folder, 'journey.py'))
  await run(folder, bin('python'), ['journey.py', url])
}

async function go(folder, url) {
  const [generator, runtime] = versions.go
  const command = (...args) => run(folder, 'go', args, 'install Go 1.24 or newer')
  mkdirSync(join(folder, 'api'), { recursive: true })
  writeFileSync(join(folder, 'go.mod'), 'module journey\n\ngo 1.24\n')
  copyFileSync(join(here, 'journey.go'), join(folder, 'journey.go'))
  const document = await (await fetch(`${url}/openapi-3.0.json`)).text()
  writeFileSync(join(folder, 'openapi.json'), document)
  const output = ['-generate', 'types,client', '-package', 'api', '-o', join('api', 'api.gen.go')]
  await command('run', generator, ...output, 'openapi.json')
  await command('get', runtime)
  await command('run', '.', url)
}

async function browser(folder, url) {
  const har = join(folder, 'traffic.har')
  await withChromium(folder, versions.browser, (chromium) => createsPod(chromium, url, lines, har))
  await run(folder, process.execPath, [plumbline, 'judge', har, '--pods', url])
}

/** k6 writes no HAR, so the proxy does. */
async function k6(folder, url) {
  const { findK6 } = await import('../../dist/load/k6/find.js')
  const { path } = await findK6({ env: process.env })
  const addresses = ['--pods', url, '--queue', url]
  const proxy = spawn(process.execPath, [plumbline, 'proxy', ...addresses, '--port', '0', '--har', 'traffic.har'], {
    cwd: folder,
  })
  const ended = once(proxy, 'close')
  const [line] = await once(proxy.stdout, 'data')
  await run(folder, path, ['run', '--quiet', '--env', `URL=${String(line).split(' ', 1)}`, join(here, 'journey.k6.js')])
  proxy.kill()
  const [code] = await ended
  if (code !== 0) throw new Error(`plumbline proxy exited ${code}`)
  await run(folder, process.execPath, [plumbline, 'judge', 'traffic.har', ...addresses])
}

async function report(folder) {
  await withChromium(folder, versions.report, (chromium) => {
    const axe = readFileSync(join(folder, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8')
    return readsReports(chromium, axe, join(folder, 'reports'))
  })
}

/** Does something with a running Chromium. */
async function withChromium(folder, packages, work) {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((path) => names.map((name) => join(path, name)))
  const executablePath = [process.env.CHROMIUM ?? '', ...onPath].find(existsSync)
  if (executablePath === undefined)
    throw new Error(
      'no Chromium on the PATH; install it (Debian: apt-get install chromium) or name its file in CHROMIUM',
    )
  await npmInstall(folder, packages)
  const { chromium } = createRequire(join(folder, 'package.json'))('playwright-core')
  // Chromium refuses to run as root with its sandbox, as in most containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ executablePath, args })
  try {
    await work(browser)
  } finally {
    await browser.close()
  }
}

async function npmInstall(folder, packages) {
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}')
  await run(folder, 'npm', ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', ...packages])
}

/** Runs a command. `otherwise` says what to do if it is not there. */
async function run(cwd, command, args, otherwise = 'it is not installed') {
  try {
    await promisify(execFile)(command, args, { cwd })
  } catch ({ code, stdout, stderr }) {
    if (code === 'ENOENT') throw new Error(`${command} was not found; ${otherwise}`)
    throw new Error(`${command} ${args.join(' ')} exited ${code}\n${stdout}${stderr}`)
  }
}
