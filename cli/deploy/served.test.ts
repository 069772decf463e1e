import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { runHere } from '../shared/testing/in-process.ts'

const root = join(import.meta.dirname, '../..')
const dir = mkdtempSync(join(tmpdir(), 'plumbline-served-'))
const served = join(dir, 'served.yaml')
let server: ChildProcess

beforeAll(async () => {
  const words = ['serve', '--port', '0', '--clock', 'control', '--print-target', served]
  server = spawn(process.execPath, ['--no-warnings', join(root, 'cli/main.ts'), ...words], { stdio: 'ignore' })
  await vi.waitUntil(() => existsSync(served) && readFileSync(served, 'utf8').includes('keys:'), { timeout: 60_000 })
}, 60_000)

afterAll(() => {
  server.kill()
})

/** The target file of the served reference, with the tool run from its sources. */
function targetFile(name: string, flags: readonly string[] = [], commands: object = {}): string {
  const target = parse(readFileSync(served, 'utf8'))
  const program = [process.execPath, '--no-warnings', join(root, 'cli/deploy/main.ts'), ...flags]
  for (const command of ['build', 'deploy', 'list', 'remove', 'call']) {
    target.deploy[command] = [...program, ...target.deploy[command].slice(1)]
  }
  Object.assign(target.deploy, commands)
  target.deploy.environment.PLUMBLINE_DEPLOY_STATE = join(dir, 'peers')
  target.deploy.environment.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? ''
  const file = join(dir, `${name}.yaml`)
  writeFileSync(file, stringify(target))
  return file
}

const check = (file: string, out: string, ...more: readonly string[]) =>
  runHere(['check', '--target', file, '--profile', 'deploy,lab', '--seed', '1', '--out', join(dir, out), ...more], {
    cwd: dir,
    environment: {},
  })

test('the rules pass with plumbline-deploy as a command, leave nothing, and are replayed from the record', async () => {
  const file = targetFile('fine')
  const { code, out, err } = await check(file, 'fine', '--only', 'deploy')
  expect(`${out}${err}`).toContain('1 observed, 7 passed')
  expect(out).toContain('conformant: deploy (6 of 6 must rules verified, 0 unclaimed)')
  expect(code).toBe(0)
  const results = readFileSync(join(dir, 'fine/results.json'), 'utf8')
  expect((await runHere(['replay', join(dir, 'fine')], { cwd: dir, environment: {} })).code).toBe(0)
  expect(readFileSync(join(dir, 'fine/results.json'), 'utf8')).toBe(results)
  const { url } = parse(readFileSync(served, 'utf8')).management
  const list = await fetch(`${url}/v1/endpoints`, { headers: { authorization: 'Bearer plumbline-example-full' } })
  expect(await list.text()).not.toContain('plumbline-r')
})

test('with a defect the command fails the rule about it', async () => {
  const { code, out } = await check(
    targetFile('defective', ['--defect', 'manifest-first-endpoint-only']),
    'defective',
    '--only',
    'deploy.manifest',
  )
  expect(out).toContain('…-web, …-two not named')
  expect(out).toContain('deploy.build → exit code 0')
  expect(code).toBe(1)
})

test.each([
  ['removes nothing', 0, 'reported as removed, but still listed'],
  ['fails', 9, 'deploy.remove ended with exit code 9'],
])('a removal that %s leaves the endpoints in the ledger of the run', async (_, exit, reason) => {
  const remove = ['sh', '-c', `exit ${exit}`, 'sh', '{name}']
  const file = targetFile(`exit-${exit}`, [], { remove })
  const { err } = await check(file, `exit-${exit}`, '--only', 'deploy.same-name')
  expect(err).toMatch(new RegExp(`deployed endpoints? could not be removed: ${reason}`))
  expect(err).toMatch(/sweep \w+ tries again/)
})
