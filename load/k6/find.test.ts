import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { findK6 } from './find.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-find-'))

/** A program that says a version, as k6 does; `HOME` is empty of any cache. */
function program(name: string, says: string): string {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, `#!/bin/sh\necho '${says}'\n`)
  chmodSync(path, 0o755)
  return path
}

const two = 'k6 v2.3.0 (commit/abc, go1.26.1, linux/amd64)'
const one = 'k6 v1.4.0 (commit/abc, go1.24.1, linux/amd64)'
const onPath = program('path/k6', two)
const old = program('old/k6', one)
const cached = program('cache/plumbline/k6/k6-2.1.0', 'k6-2.1.0 v2.1.0 (go1.26.8, linux/amd64)')
const home = join(folder, 'home')
const env = { HOME: home, PATH: '' }

test.each([
  ['the one that is named', { ...env, PLUMBLINE_K6: onPath }, { path: onPath, version: '2.3.0' }],
  ['one on the PATH', { ...env, PATH: join(onPath, '..') }, { path: onPath, version: '2.3.0' }],
  [
    'the cache, where the one on the PATH is too old',
    { ...env, PATH: join(old, '..'), XDG_CACHE_HOME: join(folder, 'cache') },
    { path: cached, version: '2.1.0' },
  ],
])('%s', async (_, settings, expected) => {
  expect(await findK6({ env: settings, mayBuild: false })).toEqual(expected)
})

test.each([
  [
    'a named one of another version',
    { ...env, PLUMBLINE_K6: old },
    /names .*, which should be a k6 of version 2 and answers "1.4.0"/,
  ],
  ['a named one that is missing', { ...env, PLUMBLINE_K6: join(folder, 'none') }, /and answers "spawn .* ENOENT"/],
  [
    'none anywhere',
    env,
    /^Load needs k6 of version 2, and there is none: install k6 2.1.0 .* or name a k6 in PLUMBLINE_K6\.$/,
  ],
])('%s is refused in one sentence', async (_, settings, expected) => {
  await expect(findK6({ env: settings, mayBuild: false })).rejects.toThrow(expected)
})

test('without Go the sentence says so, and a build that fails says why', async () => {
  await expect(findK6({ env })).rejects.toThrow('there is none, and no Go to build it with')
  const go = program('go/go', 'go version go1.26.1 linux/amd64')
  const settings = { ...env, PATH: join(go, '..') }
  await expect(findK6({ env: settings, moduleFolder: folder })).rejects.toThrow('there is none, and no go.mod in')
})

test('a build is announced, and a line each 30 s shows that it goes on', async () => {
  const go = program('slow/go', 'go version go1.26.1 linux/amd64')
  const [begun, ended] = [join(folder, 'begun'), join(folder, 'ended')]
  appendFileSync(
    go,
    `PATH='${process.env.PATH}'; [ "$1" = version ] || { touch '${begun}'; until [ -e '${ended}' ]; do sleep 0.05; done; exit 1; }\n`,
  )
  writeFileSync(join(folder, 'slow', 'go.mod'), '')
  const lines: string[] = []
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const settings = { ...env, PATH: join(go, '..') }
  const path = join(home, '.cache', 'plumbline', 'k6', 'k6-2.1.0')
  const options = { env: settings, moduleFolder: join(folder, 'slow'), onBuild: (line: string) => lines.push(line) }
  const built = expect(findK6(options)).rejects.toThrow('building it failed')
  await vi.waitUntil(() => existsSync(begun))
  vi.advanceTimersByTime(65_000)
  vi.useRealTimers()
  writeFileSync(ended, '')
  await built
  expect(lines).toEqual([
    `building k6 2.1.0 with Go into ${path}; only the first load needs this, and it takes one to ten minutes`,
    'still building k6 2.1.0, since 30s',
    'still building k6 2.1.0, since 1m',
  ])
})
