import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { type Options, readOptions } from './options.ts'

const usual: Options = { sample: 300, all: false, seed: 1, only: [], limit: 10 }

test.each<[string, Partial<Options>]>([
  ['', {}],
  ['--sample 20 --seed 0', { sample: 20, seed: 0 }],
  ['--all', { all: true }],
  ['--limit 40', { limit: 40 }],
  ['--only a/* --only b.ts --json out.json', { only: ['a/*', 'b.ts'], json: 'out.json' }],
])('mutate %s', (line, expected) => {
  expect(readOptions(line.split(' ').filter(Boolean), () => {})).toEqual({ ...usual, ...expected })
})

test.each([
  ['--sample 0', "'0' is invalid. Expected an integer of at least 1, got 0."],
  ['--seed x', "'x' is invalid. Expected an integer of at least 0, got x."],
  ['--all --sample 3', "option '--sample <count>' cannot be used with option '--all'"],
  ['--sampel 3', "unknown option '--sampel'"],
  ['reference', 'too many arguments'],
])('mutate %s is refused', (line, message) => {
  let told = ''
  expect(() => readOptions(line.split(' '), (text) => (told += text))).toThrow(CommanderError)
  expect(told).toContain(message)
})

test('the command ends with 2 and a sentence', () => {
  const args = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'main.ts'), '--only', 'suites/*']
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stderr).toMatch(/^--only matches none of the \d+ files that are mutated\n$/)
  expect(status).toBe(2)
})
