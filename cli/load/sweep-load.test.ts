import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

// A load that is killed, against a served reference; what stands for k6 does nothing until it is killed as well.

const main = join(import.meta.dirname, '..', 'main.ts')
const cwd = mkdtempSync(join(tmpdir(), 'plumbline-sweep-load-'))
const began: ChildProcess[] = []

afterAll(() => {
  for (const child of began) child.kill('SIGKILL')
  rmSync(cwd, { recursive: true, force: true })
})

test('kill -9 leaves jobs that sweep purges, from the endpoint marked dedicated alone', {
  timeout: 120_000,
}, async () => {
  start(['serve', '--port', '0', '--clock', 'real', '--print-target', 'target.yaml'])
  const target = await textOf('target.yaml', 'keys:')
  const url = /url: (\S+)/.exec(target)?.[1] ?? ''
  writeFileSync(join(cwd, 'other.yaml'), target.replace('dedicated: dedicated', 'dedicated: another'))
  const k6 = join(cwd, 'k6')
  const lines = [
    '#!/bin/sh',
    '[ "$1" = version ] && echo "k6 v2.1.0 (go1.26)" && exit',
    `echo "$$ began" > ${cwd}/k6.id`,
  ]
  writeFileSync(k6, [...lines, 'exec sleep 600', ''].join('\n'), { mode: 0o755 })

  const load = start(['load', 'limits', '--target', 'target.yaml', '--only', 'limits.queue.cancel'], {
    PLUMBLINE_K6: k6,
  })
  const k6Id = Number.parseInt(await textOf('k6.id', 'began'), 10)
  // As many as the workers there take, and more, which wait.
  const jobs = await Promise.all(Array.from({ length: 8 }, () => submit(url)))
  await until(async () => (await waiting(url, jobs)).length > 0)
  load.child.kill('SIGKILL')
  await load.ended
  expect(await sweep()).toMatchObject({ said: expect.stringContaining(`is still under way (process ${k6Id})`) })
  process.kill(k6Id, 'SIGKILL')
  await until(async () => !(await sweep('--target', 'other.yaml')).said.includes('under way'))

  const refused = await sweep('--target', 'other.yaml')
  expect(refused.said).toContain('only an endpoint that the target file marks dedicated is purged, and this one is not')
  expect(refused.code).toBe(3)
  expect(await waiting(url, jobs)).not.toEqual([])

  expect(await sweep()).toEqual({ code: 0, said: expect.stringContaining('the queue of dedicated purged') })
  expect(await waiting(url, jobs)).toEqual([])
  expect(readdirSync(join(cwd, '.plumbline', 'runs'))).toEqual([])
})

async function sweep(...args: readonly string[]) {
  const { code, said } = await start(['sweep', ...args]).ended
  return { code, said }
}

function start(args: readonly string[], environment: Record<string, string> = {}) {
  const env = { ...process.env, NO_COLOR: '1', ...environment }
  const child = spawn(process.execPath, [main, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  began.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  // What stands for k6 keeps the pipes open beyond the end of its parent.
  const ended = new Promise<{ code: number | null; said: string }>((resolve) => {
    child.on(args[0] === 'load' ? 'exit' : 'close', (code: number | null) => resolve({ code, said }))
  })
  return { child, ended }
}

async function submit(url: string): Promise<string> {
  const input = { plumbline: { v: 1, steps: [{ sleepMs: 300_000 }] } }
  return (await call(`${url}/v2/dedicated/run`, { input })).id ?? ''
}

async function waiting(url: string, jobs: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(jobs.map((job) => call(`${url}/v2/dedicated/status/${job}`)))
  return answers.flatMap(({ id, status }) => (status === 'IN_QUEUE' && id !== undefined ? [id] : []))
}

async function call(url: string, body?: unknown): Promise<{ readonly id?: string; readonly status?: string }> {
  const headers = { authorization: 'Bearer plumbline-example-full', 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  return (await fetch(url, { headers, ...sent })).json() as Promise<{ id?: string; status?: string }>
}

async function textOf(name: string, part: string): Promise<string> {
  const file = join(cwd, name)
  await until(async () => existsSync(file) && readFileSync(file, 'utf8').includes(part))
  return readFileSync(file, 'utf8')
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > 500) throw new Error('what was waited for did not come')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
