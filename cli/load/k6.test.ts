import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findK6 } from '../../load/k6/find.ts'
import { limiterKindNames } from '../../reference/limits/windows.ts'
import { createCommands, until } from '../shared/testing/commands.ts'

// plumbline load through a real k6, against references that plumbline serves in real time with windows of a second.

const { cwd, start, serve: serveAsIs, close } = createCommands('load-cli')
const scale = ['--window-scale', '0.1']
const timeout = 240_000
let k6 = ''

beforeAll(async () => {
  k6 = (await findK6({ env: process.env })).path
}, 700_000)

afterAll(close)

const rulesOf = (...names: string[]) => names.flatMap((name) => ['--only', `limits.queue.${name}`])

test.concurrent.each(limiterKindNames)('a reference with the limiter %s passes', { timeout }, async (limiter) => {
  const { target } = await serve(['--limiter', limiter])
  const rules = rulesOf('cancel', 'requests', 'purge', 'recovers', 'per-operation', 'per-endpoint', 'status-429')
  const { code, said } = await load(target, rules)
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('7 passed') })
})

test.concurrent('a load is judged again without the target and k6, with the same bytes', { timeout }, async () => {
  const { target, child } = await serve([])
  const { code } = await load(target, [...rulesOf('cancel', 'concurrent-stream'), '--out', 'first'])
  // A busy machine opens requests too late to judge how many are open at once.
  expect([0, 3]).toContain(code)
  child.kill('SIGKILL')
  expect(await replay('first', 'again')).toMatchObject({ code })
  const resultsIn = (folder: string) => readFileSync(join(cwd, folder, 'results.json'), 'utf8')
  expect(resultsIn('again')).toBe(resultsIn('first'))
  writeFileSync(join(cwd, 'first', 'load', '03-cancel-under', 'raw.json.gz'), 'nothing')
  const changed = await replay('first', 'changed')
  expect(changed.said).toMatch(/limits\.queue\.cancel was kept as \w+, and the record gives broken/)
  expect(changed.code).toBe(4)
})

test.concurrent.each([
  ['cancel-half', 'cancel'],
  ['beyond-the-limit-503', 'status-429'],
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

test.concurrent.each<[string, string[], number, string]>([
  ['that keeps its limits passes', [], 0, 'passed'],
  ['with the defect cancel-half fails', ['--defect', 'cancel-half'], 1, 'failed'],
])('by two segments, a reference %s', { timeout }, async (name, flags, exit, verdict) => {
  const { target } = await serve(['--limiter', 'fixed-window', ...flags])
  const folder = `segments-${name}`
  const { code, said } = await load(target, [...rulesOf('cancel'), '--segments', '2', '--out', folder])
  expect({ code, said }).toEqual({ code: exit, said: expect.stringContaining(`1 ${verdict}`) })
  const plans = readdirSync(join(cwd, folder, 'load'))
  expect(plans.flatMap((plan) => readdirSync(join(cwd, folder, 'load', plan)).toSorted())).toEqual(
    plans.flatMap(() => ['plan.json', 'raw.json.gz']),
  )
  expect(await replay(folder, `${folder}-again`)).toMatchObject({ code: exit })
})

const raising = ['--latitude', 'workers-raise-limits']

test.concurrent('a limit that workers raise passes, also when its load is judged again', { timeout }, async () => {
  const { target, child } = await serve(raising)
  const { code, said } = await load(target, [...rulesOf('scales-with-workers'), '--out', 'raised'])
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('1 passed') })
  child.kill('SIGKILL')
  expect(await replay('raised', 'raised-again')).toMatchObject({ code: 0 })
})

test.concurrent('a limit that workers do not raise fails', { timeout }, async () => {
  const { target } = await serve([...raising, '--defect', 'workers-raise-nothing'])
  const { code, said } = await load(target, [...rulesOf('scales-with-workers'), '--out', 'not-raised'])
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('failed  limits.queue.scales-with-workers') })
})

test.concurrent('Ctrl-C ends k6, and the exit code is 130', { timeout }, async () => {
  const { target } = await serve([])
  const run = start(['load', 'limits', '--target', target, ...scale, ...rulesOf('cancel'), '--out', 'stopped'])
  await until(() => driven('stopped'))
  expect(processesWith(join(cwd, 'stopped'))).not.toEqual([])
  run.child.kill('SIGINT')
  const { code, said } = await run.ended
  expect(said).toContain('interrupted, and cleaned up')
  expect(code).toBe(130)
  const results = JSON.parse(readFileSync(join(cwd, 'stopped', 'results.json'), 'utf8'))
  expect(results).toMatchObject({ verdict: { word: 'interrupted' }, counts: { unverified: 1 } })
  await until(() => processesWith(join(cwd, 'stopped')).length === 0)
})

test.concurrent('a target that dies is never a pass', { timeout }, async () => {
  const { target, child } = await serve([])
  const run = start(['load', 'limits', '--target', target, ...scale, ...rulesOf('cancel'), '--out', 'dying'])
  await until(() => driven('dying'))
  child.kill('SIGKILL')
  const { code, said } = await run.ended
  expect(said).toContain('no connection to the target')
  expect(code).toBe(3)
})

test.concurrent('a k6 that is killed is never a pass', { timeout }, async () => {
  const { target } = await serve([])
  const dying = join(cwd, 'k6-that-dies')
  writeFileSync(dying, `#!/bin/sh\n[ "$1" = version ] && exec ${k6} version\nkill -9 $$\n`, { mode: 0o755 })
  const args = ['load', 'limits', '--target', target, ...scale, ...rulesOf('cancel')]
  const { code, said } = await start(args, { PLUMBLINE_K6: dying }).ended
  expect(said).toMatch(/k6 was killed after \d+ s \(SIGKILL\), so nothing is judged/)
  expect(code).toBe(3)
})

test.concurrent('check --load is one run with one record, one report and one cleanup', { timeout }, async () => {
  const { target, child } = await serve(['--quotas', 'minute=20'])
  const only = ['pods.action.exited.stop', 'limits.queue.cancel', 'limits.pods.exceeded'].flatMap((one) => [
    '--only',
    one,
  ])
  const args = ['check', '--load', '--target', target, ...scale, ...only, '--out', 'both']
  const { code, said } = await start(args).ended
  const results = JSON.parse(readFileSync(join(cwd, 'both', 'results.json'), 'utf8'))
  const verdicts = new Map(results.rules.map((rule: { id: string; verdict: string }) => [rule.id, rule.verdict]))
  expect(verdicts.get('limits.queue.cancel')).toBe('passed')
  expect(verdicts.get('limits.pods.exceeded')).toBe('passed')
  expect(verdicts.get('pods.action.exited.stop')).toBe('passed')
  expect(results.run.profiles).toEqual(['core', 'limits'])
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('conformant') })
  expect(readdirSync(join(cwd, '.plumbline', 'runs'))).not.toContain(results.run.id)
  child.kill('SIGKILL')
  expect(await replay('both', 'both-again')).toMatchObject({ code: 0 })
  expect(readFileSync(join(cwd, 'both-again', 'results.json'))).toEqual(readFileSync(join(cwd, 'both', 'results.json')))
})

test.concurrent('the pod quota is drained, and its 429 is as documented', { timeout }, async () => {
  const { target } = await serve(['--quotas', 'minute=20'])
  const { code, said } = await start(['load', 'pods', '--target', target, '--out', 'pods']).ended
  expect(said).toContain('16 passed')
  expect(code).toBe(0)
  expect(await replay('pods', 'pods-again')).toMatchObject({ code: 0 })
  const few = await start(['load', 'pods', '--target', target, '--max-requests', '5', '--out', 'few']).ended
  expect(few).toEqual({ code: 3, said: expect.stringContaining('and --max-requests permits 5; raise it') })
  expect(await replay('few', 'few-again')).toEqual({
    code: 3,
    said: expect.stringContaining('matches the record'),
  })
})

test.concurrent.each([
  ['pods-retry-after-fraction', 'retry-after'],
  ['pods-retry-after-half', 'retry-after-honest'],
])('the defect %s fails the rule limits.pods.%s', { timeout }, async (defect, rule) => {
  const { target } = await serve(['--quotas', 'minute=5', '--defect', defect])
  const { code, said } = await start(['load', 'pods', '--target', target, '--out', defect]).ended
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining(`failed  limits.pods.${rule}: `) })
})

function serve(flags: readonly string[]) {
  return serveAsIs([...scale, ...flags])
}

function load(target: string, args: readonly string[]) {
  return start(['load', 'limits', '--target', target, ...scale, ...args]).ended
}

function replay(folder: string, out: string) {
  return start(['replay', folder, '--out', out]).ended
}

/** True if k6 has begun with the first plan after the smoke. */
function driven(folder: string): boolean {
  return existsSync(join(cwd, folder, 'load', '02-cancel-under', 'raw.json.gz'))
}

/** Ids of the processes of k6 that write into a folder. */
function processesWith(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return readFileSync(`/proc/${id}/environ`, 'utf8').includes(`PLUMBLINE_PLAN=${folder}`)
      } catch {
        return false
      }
    })
}
