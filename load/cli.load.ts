import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findK6 } from './k6/find.ts'

// plumbline load through a real k6, against references that plumbline serves in real time with windows of a second.

const main = join(import.meta.dirname, '..', 'cli', 'main.ts')
const cwd = mkdtempSync(join(tmpdir(), 'plumbline-load-cli-'))
const scale = ['--window-scale', '0.1']
const began: ChildProcess[] = []
const timeout = 240_000
let servers = 0
let k6 = ''

beforeAll(async () => {
  k6 = (await findK6({ env: process.env })).path
}, 700_000)

afterAll(() => {
  for (const child of began) child.kill('SIGKILL')
  rmSync(cwd, { recursive: true, force: true })
})

const rulesOf = (...names: string[]) => names.flatMap((name) => ['--only', `limits.queue.${name}`])

test.concurrent.each(['sliding-counter', 'gcra'])(
  'a reference with the limiter %s passes',
  { timeout },
  async (limiter) => {
    const { target } = await serve(['--limiter', limiter])
    const rules = rulesOf('cancel', 'requests', 'recovers', 'per-endpoint', 'status-429')
    const { code, out } = await load(target, rules)
    expect(out).toContain('5 passed')
    expect(code).toBe(0)
  },
)

test.concurrent('a load is judged again without the target and k6, with the same bytes', { timeout }, async () => {
  const { target, child } = await serve([])
  const { code } = await load(target, [...rulesOf('cancel', 'concurrent-stream'), '--out', 'first'])
  expect(code).toBe(0)
  child.kill('SIGKILL')
  expect(await replay('first', 'again')).toMatchObject({ code: 0 })
  const resultsIn = (folder: string) => readFileSync(join(cwd, folder, 'results.json'), 'utf8')
  expect(resultsIn('again')).toBe(resultsIn('first'))
  const verdicts = join(cwd, 'first', 'load', '04-cancel-under', 'verdicts.json')
  writeFileSync(verdicts, readFileSync(verdicts, 'utf8').replace('"passed"', '"failed"'))
  const changed = await replay('first', 'changed')
  expect(changed.out).toContain('load/04-cancel-under: limits.queue.cancel was kept as failed')
  expect(changed.code).toBe(4)
})

test.concurrent.each([
  ['requests-double', 'requests'],
  ['endpoints-share-a-limit', 'per-endpoint'],
  ['refused-for-ever', 'recovers'],
])('the defect %s fails the rule limits.queue.%s', { timeout }, async (defect, rule) => {
  const { target } = await serve(['--limiter', 'fixed-window', '--defect', defect])
  const folder = `out-${defect}`
  const { code } = await load(target, [...rulesOf(rule), '--out', folder])
  const results = JSON.parse(readFileSync(join(cwd, folder, 'results.json'), 'utf8'))
  expect(results.rules).toMatchObject([{ id: `limits.queue.${rule}`, verdict: 'failed' }])
  expect(code).toBe(1)
})

test.concurrent('Ctrl-C ends k6, and the exit code is 130', { timeout }, async () => {
  const { target } = await serve([])
  const run = start(['load', 'limits', '--target', target, ...scale, ...rulesOf('cancel'), '--out', 'stopped'])
  await until(() => driven('stopped'))
  expect(processesWith(join(cwd, 'stopped'))).not.toEqual([])
  run.child.kill('SIGINT')
  const { code, out } = await run.ended
  expect(out).toContain('interrupted, and k6 was ended')
  expect(code).toBe(130)
  expect(existsSync(join(cwd, 'stopped', 'results.json'))).toBe(false)
  await until(() => processesWith(join(cwd, 'stopped')).length === 0)
})

test.concurrent('a target that dies is never a pass', { timeout }, async () => {
  const { target, child } = await serve([])
  const run = start(['load', 'limits', '--target', target, ...scale, ...rulesOf('cancel'), '--out', 'dying'])
  await until(() => driven('dying'))
  child.kill('SIGKILL')
  const { code, out } = await run.ended
  expect(out).toContain('the target cannot be reached')
  expect(code).toBe(5)
})

test.concurrent('a k6 that is killed is never a pass', { timeout }, async () => {
  const { target } = await serve([])
  const dying = join(cwd, 'k6-that-dies')
  writeFileSync(dying, `#!/bin/sh\n[ "$1" = version ] && exec ${k6} version\nkill -9 $$\n`, { mode: 0o755 })
  const args = ['load', 'limits', '--target', target, ...scale, ...rulesOf('cancel')]
  const { code, out } = await start(args, { PLUMBLINE_K6: dying }).ended
  expect(out).toMatch(/k6 was killed after \d+ s \(SIGKILL\), so nothing is judged/)
  expect(code).toBe(3)
})

test.concurrent('the pod quota is drained, and its 429 is as documented', { timeout }, async () => {
  const { target } = await serve(['--quotas', 'minute=20'])
  const { code, out } = await start(['load', 'pods', '--target', target, '--out', 'pods']).ended
  expect(out).toContain('5 passed')
  expect(code).toBe(0)
  expect(await replay('pods', 'pods-again')).toMatchObject({ code: 0 })
})

function load(target: string, args: readonly string[]) {
  return start(['load', 'limits', '--target', target, ...scale, ...args]).ended
}

function replay(folder: string, out: string) {
  return start(['replay', folder, '--out', out]).ended
}

/** A served reference, and its target file. */
async function serve(flags: readonly string[]): Promise<{ target: string; child: ChildProcess }> {
  const target = `target-${servers++}.yaml`
  const { child } = start(['serve', '--port', '0', '--clock', 'real', ...scale, '--print-target', target, ...flags])
  const file = join(cwd, target)
  await until(() => existsSync(file) && readFileSync(file, 'utf8').includes('keys:'))
  return { target, child }
}

function start(args: readonly string[], environment: Record<string, string> = {}) {
  const env = { ...process.env, NO_COLOR: '1', ...environment }
  const child = spawn(process.execPath, [main, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  began.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)))
  const ended = new Promise<{ code: number | null; out: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out: text }))
  })
  return { child, ended, said: () => text }
}

/** Whether k6 has begun with the first plan after the smoke. */
function driven(folder: string): boolean {
  return existsSync(join(cwd, folder, 'load', '02-cancel-under', 'raw.json.gz'))
}

/** Ids of the processes of k6 that write into a folder. */
function processesWith(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(`json=${folder}`)
      } catch {
        return false
      }
    })
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 1200) throw new Error('what was waited for did not come within two minutes')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
