import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const cwd = mkdtempSync(join(tmpdir(), 'plumbline-hooks-'))
const key = 'plumbline-example-full'
const word = 'word-of-the-hook-4711'
const path = '/path-of-the-hook-0815'
/** What a command says when it fails becomes part of the reason. */
const complaining = 'console.error("no host for " + process.argv[1]); process.exit(7)'
let server: ChildProcess
let hooks: Server
let environment: Record<string, string>

beforeAll(async () => {
  server = start(['serve', '--port', '0', '--clock', 'control', '--print-target', 'target.yaml', ...defect])
  while (!existsSync(join(cwd, 'target.yaml'))) await new Promise((next) => setTimeout(next, 20))
  const target = parse(readFileSync(join(cwd, 'target.yaml'), 'utf8'))
  const statuses = {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: target files name their variables so.
    EXITED: { actions: [], hook: '${HOOK_URL}' },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: target files name their variables so.
    ERROR: { hook: [process.execPath, '-e', complaining, '${HOOK_WORD}'] },
  }
  writeFileSync(join(cwd, 'target.yaml'), stringify({ ...target, pods: { ...target.pods, statuses } }))
  hooks = stopping(target.pods.url)
  await new Promise<void>((done) => hooks.listen(0, '127.0.0.1', done))
  const { port } = hooks.address() as AddressInfo
  environment = { HOOK_URL: `http://127.0.0.1:${port}${path}`, HOOK_WORD: word }
}, 120_000)

afterAll(async () => {
  hooks.close()
  server.kill('SIGINT')
  await new Promise((done) => server.once('close', done))
  rmSync(cwd, { recursive: true, force: true })
})

const defect = ['--defect', 'exited-stop-accepted']
const rules = ['--only', 'pods.action.exited.stop', '--only', 'pods.action.error.start']

test('what a hook takes from the environment is in nothing that is written', { timeout: 120_000 }, async () => {
  const checked = await plumbline(['check', '--target', 'target.yaml', ...rules, '--out', 'out'], environment)
  expect(checked.code).toBe(1)
  const names = readdirSync(join(cwd, 'out'))
  expect(names).toEqual(['evidence.ndjson', 'junit.xml', 'report.html', 'results.json'])
  const written = names.map((name) => readFileSync(join(cwd, 'out', name), 'utf8'))
  expect(written[0]).toContain('"hook":{"url":"«hook.EXITED»"}')
  for (const text of [checked.out, checked.err, ...written]) {
    expect(text).not.toContain(word)
    expect(text).not.toContain(path)
  }
  expect(checked.out).toContain('ended with exit code 7: no host for «hook.ERROR»')
  expect(checked.out).toContain('curl -s -X POST "$HOOK_EXITED" ')
  const replayed = await plumbline(['replay', 'out', '--out', 'again'])
  expect(replayed.code).toBe(1)
  expect(readFileSync(join(cwd, 'again', 'results.json'))).toEqual(readFileSync(join(cwd, 'out', 'results.json')))
})

/** A server that stops the pod of each hook, once that runs. */
function stopping(base: string): Server {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { pod } = JSON.parse(text) as { pod: string }
    const body = JSON.stringify({ action: 'stop' })
    const { status } = await fetch(`${base}/v2/pods/${pod}/action`, { method: 'POST', headers, body })
    response.writeHead(status === 200 ? 204 : 500).end()
  })
}

function start(words: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [main, ...words], {
    cwd,
    env: { ...process.env, ...env, NO_COLOR: '1', FORCE_COLOR: undefined },
  })
}

async function plumbline(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const child = start(words, env)
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  return { code: await new Promise((done) => child.once('close', done)), out, err }
}
