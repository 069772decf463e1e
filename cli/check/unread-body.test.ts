import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHere } from '../shared/testing/in-process.ts'
import { serveUnread } from '../shared/testing/unread.ts'

const rules = ['auth.pods.*', 'errors.*', 'pods.list.*']

test('a server that leaves bodies unread after a 401 fails one rule, whatever the seed', {
  timeout: 180_000,
}, async () => {
  const cwd = await serveUnread((status) => status === 401)
  for (const seed of [1, 2]) {
    const words = ['check', '--target', 'target.yaml', '--out', `out-${seed}`, '--seed', `${seed}`]
    const { code, out } = await runHere([...words, ...rules.flatMap((rule) => ['--only', rule])], { cwd })
    const results = JSON.parse(readFileSync(join(cwd, `out-${seed}`, 'results.json'), 'utf8'))
    const others = (results.rules as { id: string; verdict: string }[]).filter(
      ({ verdict }) => !/passed|observed/.test(verdict),
    )
    expect(others.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(['errors.connection-in-step failed'])
    expect(code).toBe(1)
    expect(out).toMatch(
      /observed +status 400: a response to the unread body of the request before it, which was refused with status 401/,
    )
    expect(out).toMatch(/curl -s -A .* --next -si -A /)
    expect((await runHere(['replay', `out-${seed}`], { cwd })).out).toContain('matches the record')
  }
})

test('fuzz names a server that leaves bodies unread, and has no findings', async () => {
  const cwd = await serveUnread((status) => status >= 400)
  const words = ['fuzz', '--target', 'target.yaml', '--runs', '300', '--seed', '1']
  const { code, out, err } = await runHere(words, { cwd })
  expect(out + err).toContain('leaves the body of a refused request unread')
  expect(out).toContain('no findings')
  expect(code).toBe(3)
})

test('plan tells a refused key from a server that leaves bodies unread', async () => {
  const cwd = await serveUnread((status) => status === 401)
  const file = join(cwd, 'target.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/full: .*/, `full: \${KEY}`))
  const environment = { KEY: 'a-key-that-nobody-knows' }
  const { code, err } = await runHere(['plan', '--target', 'target.yaml'], { cwd, environment })
  expect(err).toContain('answered 401 to keys.full')
  expect(code).toBe(2)
})
