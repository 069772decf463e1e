import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// What may never be in a room, as the table of docs/decisions.md says, for those that a text shows.

const root = join(import.meta.dirname, '..')
const isOwn = (file: string) => !/\.(test|load)\.ts$|\/testing\//.test(file)

test.each([
  ['suites', 'an import of reference/', /from '[./]*\/reference\//, null],
  ['suites', 'a catch', /\bcatch\s*[({]/, 'suites/harness'],
  ['suites', 'a sleep', /\bset(Timeout|Interval)\b|timers\/promises/, 'suites/harness'],
  ['suites', 'HTTP', /from 'undici'|node:https?'|\bfetch\(/, 'suites/harness'],
  ['reference', 'an import of suites/', /from '[./]*\/suites\//, null],
  ['reference', 'a port', /node:(https?|net)'/, null],
  ['reports', 'a clock, a file system, a console', /\bDate\.now\b|\bnew Date\(\)|node:fs|\bconsole\./, null],
])('in %s/ there is never %s', (room, _, forbidden, aside) => {
  const files = globSync(`${room}/**/*.ts`, { cwd: root }).filter(isOwn)
  expect(files).not.toEqual([])
  const inRoom = files.filter((file) => aside === null || !file.startsWith(`${aside}/`))
  expect(inRoom.filter((file) => forbidden.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
})
