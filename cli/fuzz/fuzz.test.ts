import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { createCommands } from '../shared/testing/commands.ts'
import { openGateway } from '../shared/testing/gateway.ts'

const commands = createCommands('fuzz')
const { cwd } = commands
const key = 'plumbline-example-full'
let base = ''

beforeAll(async () => {
  const served = await commands.serve(['--clock', 'control'])
  const target = parse(readFileSync(join(cwd, served.target), 'utf8'))
  base = target.pods.url
  for (const way of ['shown', 'refused'] as const) {
    const url = await echoing(way)
    writeFileSync(join(cwd, `${way}.yaml`), stringify({ ...target, pods: { ...target.pods, url } }))
  }
})

afterAll(commands.close)

test.each([
  ['in what a pod shows', 'shown', 1, 'and then image "Bearer «key.full»"'],
  ['in why no pod is made', 'refused', 3, 'Bearer «key.full» may not'],
])('a key that a target echoes %s is on no terminal and in no file', async (_, name, code, said) => {
  const words = ['--runs', '12', '--seed', '1', '--json', `${name}.json`]
  const fuzzed = await commands.run(['fuzz', '--target', `${name}.yaml`, ...words])
  const written = readFileSync(join(cwd, `${name}.json`), 'utf8')
  expect(fuzzed).toEqual({ code, said: expect.stringContaining(said) })
  expect(written).toContain(said.replaceAll('"', '\\"'))
  expect(fuzzed.said + written).not.toContain(key)
  if (name === 'shown') return
  const replayed = await commands.run(['fuzz', '--target', `${name}.yaml`, '--seed', '1', '--path', '3'])
  expect(replayed).toEqual({ code, said: expect.stringContaining(said) })
  expect(replayed.said).not.toContain(key)
})

test('a finding that shows later is found again by its path on a server that has just started', async () => {
  const defect = ['--clock', 'control', '--defect', 'terminate-extra-refused-and-renamed']
  const [first, second] = [await commands.serve(defect), await commands.serve(defect)]
  const fuzzed = await commands.run(['fuzz', '--target', first.target, '--seed', '7', '--runs', '420'])
  expect(fuzzed).toEqual({
    code: 1,
    said: expect.stringContaining('body:     {"action":"terminate","plumbline":null}'),
  })
  const path = /--seed 7 --path (\S+)/.exec(fuzzed.said)?.[1] ?? ''
  const again = await commands.run(['fuzz', '--target', second.target, '--seed', '7', '--path', path])
  expect(again).toEqual({ code: 1, said: expect.stringContaining('status 422, and then name "renamed"') })
})

test('what a body did to its pod earlier is not blamed on a later one: each finding comes again by its own line', async () => {
  const defect = ['--clock', 'control', '--defect', 'other-size-refused-and-applied']
  const served = await commands.serve(defect)
  const fuzzed = await commands.run(['fuzz', '--target', served.target, '--seed', '3', '--runs', '1000'])
  expect(fuzzed.code).toBe(1)
  expect(fuzzed.said).toMatch(/^late effects were looked for after \S+ of \S+ bodies that pods refused$/m)
  const paths = [...fuzzed.said.matchAll(/again: .* --path (\S+)/g)].map(([, path = '']) => path)
  expect(paths).not.toEqual([])
  for (const path of paths) {
    const again = await commands.run(['fuzz', '--target', served.target, '--seed', '3', '--path', path])
    expect(again).toMatchObject({ code: 1, said: expect.stringContaining('not allowed') })
  }
})

test('the first line names the command for generated creations, which runs', async () => {
  const { target } = await commands.serve(['--clock', 'control'])
  const { said } = await commands.run(['fuzz', '--target', target, '--runs', '12', '--seed', '1'])
  const [, named = ''] = /^plumbline: sending bodies .+; for generated creations run .* (check .*) N$/m.exec(said) ?? []
  const words = `${named} 1`.split(' ')
  expect(await commands.run(words)).toMatchObject({ code: 0, said: expect.stringContaining('1 of 1 rule: 1 passed') })
})

test('a walk that finds something is shown with its steps, and again by its path', async () => {
  const served = await commands.serve(['--clock', 'control', '--defect', 'stopped-patch-forgotten-at-start'])
  const words = ['fuzz', '--walk', '--target', served.target, '--seed', '4']
  const fuzzed = await commands.run([...words, '--runs', '1', '--json', 'walks.json'])
  expect(fuzzed).toEqual({ code: 1, said: expect.stringContaining('step:     A: PATCH (status 200)') })
  const [finding] = JSON.parse(readFileSync(join(cwd, 'walks.json'), 'utf8')).findings
  expect(finding).toMatchObject({ operation: 'walk', observed: 'name "A"', steps: [{ said: 'create A' }, {}, {}, {}] })
  const again = await commands.run([...words, '--path', finding.path])
  expect(again).toEqual({ code: 1, said: expect.stringContaining('observed: name "A"') })
})

test.each([
  [['--walk', '--path', '3,56'], 2, '--path takes with --walk a number, or the path of a finding'],
  [['--path', '17:2@AB:q'], 2, '--path takes numbers joined by colons'],
  [['--walk', '--path', '3'], 0, 'allowed'],
  [['--walk', '--runs', '2'], 0, '2 walks in'],
] as const)('fuzz %j ends with %i', async (words, code, said) => {
  const fuzzed = await commands.run(['fuzz', '--reference', '--seed', '5', ...words])
  expect(fuzzed).toEqual({ code, said: expect.stringContaining(said) })
})

/** Repeats the key that it was given: in what a pod shows once it was changed, or in why no pod is made. */
function echoing(way: 'shown' | 'refused') {
  const tried = new Set<string>()
  return openGateway(base, ({ method, path, token, status, text }) => {
    if (way === 'refused' && method === 'POST') {
      const detail = `Bearer ${token} may not`
      return { status: 403, text: JSON.stringify({ title: 'Forbidden', status: 403, detail }) }
    }
    const pod = /^\/v2\/pods\/([^/]+)/.exec(path)?.[1] ?? ''
    if (method === 'PATCH' || path.endsWith('/action')) tried.add(pod)
    if (method !== 'GET' || !tried.has(pod) || status !== 200) return { text }
    return { text: JSON.stringify({ ...JSON.parse(text), image: `Bearer ${token}` }) }
  })
}
