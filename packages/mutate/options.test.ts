import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Options, readOptions, UsageError } from './options.ts'

const usual: Options = { sample: 300, seed: 1, only: [], limit: 10, json: null }

test.each<[string, Partial<Options>]>([
  ['', {}],
  ['--sample 20 --seed 0', { sample: 20, seed: 0 }],
  ['--all', { sample: null }],
  ['--limit 40', { limit: 40 }],
  ['--only a/* --only b.ts --json out.json', { only: ['a/*', 'b.ts'], json: 'out.json' }],
])('mutate %s', (line, expected) => {
  expect(readOptions(line.split(' ').filter(Boolean))).toEqual({ ...usual, ...expected })
})

test.each([
  ['--sample 0', '--sample is 0; expected an integer from 1'],
  ['--seed x', '--seed is x; expected an integer from 0'],
  ['--all --sample 3', '--all and --sample exclude each other'],
  ['--sampel 3', "Unknown option '--sampel'"],
  ['reference', "Unexpected argument 'reference'"],
])('mutate %s is refused', (line, message) => {
  expect(() => readOptions(line.split(' '))).toThrow(UsageError)
  expect(() => readOptions(line.split(' '))).toThrow(message)
})

test.each([
  [['--seed', 'x'], '--seed is x; expected an integer from 0\n'],
  [['--only', 'suites/*'], /^--only matches none of the \d+ files that are mutated\n$/],
])('the command mutate %j ends with 2 and a sentence', (args, message) => {
  const main = join(import.meta.dirname, 'main.ts')
  const { status, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(message) })
})
