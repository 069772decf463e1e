import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listening } from '../../harness/testing/listening.ts'
import { againCommand } from '../fuzz/fuzz-report.ts'
import { createCommands } from './testing/commands.ts'

// People paste the lines that are printed and documented, in any folder and with keys in the environment. None of them may
// fetch a package: `plumbline` in the npm registry is somebody else's.

const root = join(import.meta.dirname, '..', '..')
const commands = createCommands('printed')
const folder = mkdtempSync(join(tmpdir(), 'plumbline-empty-'))
const asked: string[] = []
const registry = createServer((request, response) => {
  asked.push(String(request.url))
  response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
})

const registryUrl = await listening(registry)
afterAll(commands.close)

/** Runs a line in an empty folder. */
function run(line: string): Promise<{ readonly code: unknown; readonly said: string }> {
  const cwd = mkdtempSync(join(folder, 'line-'))
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    npm_config_registry: registryUrl,
    npm_config_yes: 'true',
  }
  return new Promise((resolve) => {
    execFile('bash', ['-c', line], { cwd, env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, said: out + err }),
    )
  })
}

/** The commands in the shell blocks of the documents, without those that are not of this package. */
function documented(): string[] {
  const files = ['README.md', 'CONTRIBUTING.md', 'load/README.md', 'spec/worker.md']
    .concat(readdirSync(join(root, 'docs')).map((name) => join('docs', name)))
    .filter((file) => file.endsWith('.md'))
  return files
    .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/^```(?:sh)?\n([\s\S]*?)^```/gm)])
    .flatMap(([, block = '']) => block.split(/\n|&&|; echo/))
    .map((line) => line.replace(/\s+#\s.*$/, '').trim())
    .filter((line) => /^(node|npm|npx|plumbline)\b/.test(line))
}

test('a line that npx runs asks the registry, which this test sees', async () => {
  await run('npx plumbline rules')
  expect(asked.splice(0)).toContain('/plumbline')
})

test('no printed or documented line fetches anything in an empty folder, and each says why it fails', async () => {
  const served = await commands.serve(['--clock', 'control', '--defect', 'exited-stop-accepted'])
  const only = ['--only', 'pods.action.exited.stop']
  const { said } = await commands.run(['check', '--target', served.target, ...only])
  const rerun = /rerun this rule: +(.*)/.exec(said)?.[1] ?? ''
  expect(rerun).toMatch(/^node \S*bin\/plumbline\.js check --target/)
  const lines = [rerun, againCommand(served.target, { seed: 1, path: '2' }), ...documented()]
  // Lines of one command differ only in options that it does not live to read.
  const kinds = new Map(lines.map((line) => [line.split(' ', line.startsWith('npm') ? 3 : 2).join(' '), line]))
  const ended = await Promise.all([...kinds.values()].map(async (line) => ({ line, ...(await run(line)) })))
  const why = /Cannot find module|command not found|package\.json|package-lock\.json|no such file or directory/
  expect(ended.filter(({ code, said }) => code === 0 || !why.test(said))).toEqual([])
  expect(asked).toEqual([])
})

test('no source or document tells anybody to run it through npx', () => {
  const files = [
    'bin',
    'cli',
    'docs',
    'harness',
    'load',
    'proof',
    'reports',
    'results',
    'scripts',
    'spec',
    'suites',
    'target',
    'target-file',
    'verdicts',
  ]
    .flatMap((name) =>
      readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).map((file) => join(name, file)),
    )
    .filter(
      (file) => /\.(md|ts|mjs|js|yaml|py)$/.test(file) && !file.includes('node_modules') && !file.endsWith('.test.ts'),
    )
  const telling = files.filter((file) => /\bnpx (-\S+ )*plumbline/.test(readFileSync(join(root, file), 'utf8')))
  expect(telling).toEqual([])
})
