// Runs clients of others against `plumbline serve`, unchanged: two that are generated from its document, and a page in
// Chromium. Their tools are installed into out/clients.
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { startServing } from '../serving.mjs'
import { createsPod } from './browser.mjs'

const versions = {
  typescript: ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3', '@types/node@24.10.1'],
  python: ['openapi-python-client==0.29.1'],
  browser: ['playwright-core@1.65.1'],
}
const here = import.meta.dirname
const out = join(here, '..', '..', 'out', 'clients')
const clients = { typescript, python, browser }

/** Lines that the server logged for the present client. */
const lines = []
const served = await startServing(['--log'], (line) => lines.push(line))
for (const [name, client] of Object.entries(clients)) {
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
  const options = { module: 'nodenext', target: 'es2024', strict: true, types: ['node'], outDir: 'js' }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['journey.ts'] }))
  copyFileSync(join(here, 'journey.ts'), join(folder, 'journey.ts'))
  rmSync(join(folder, 'client'), { recursive: true, force: true })
  const bin = (name) => join(folder, 'node_modules', '.bin', name)
  await run(folder, bin('openapi-ts'), ['--input', `${url}/openapi.json`, '--output', 'client'])
  await run(folder, bin('tsc'), ['--project', '.'])
  await run(folder, process.execPath, [join('js', 'journey.js')])
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

async function browser(folder, url) {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((path) => names.map((name) => join(path, name)))
  const executable = [process.env.CHROMIUM ?? '', ...onPath].find(existsSync)
  if (executable === undefined)
    throw new Error(
      'no Chromium on the PATH; install it (Debian: apt-get install chromium) or name its file in CHROMIUM',
    )
  await npmInstall(folder, versions.browser)
  const { chromium } = createRequire(join(folder, 'package.json'))('playwright-core')
  await createsPod(chromium, executable, url, lines)
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
