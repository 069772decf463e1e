import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createColors } from 'picocolors'
import { expect, test } from 'vitest'
import { readTarget } from './target.ts'
import type { Terminal } from './terminal.ts'

const cwd = mkdtempSync(join(tmpdir(), 'plumbline-target-'))
const terminal: Terminal = {
  out() {},
  err() {},
  environment: {},
  cwd,
  live: false,
  color: false,
  colors: createColors(false),
}

function write(known: string): string {
  writeFileSync(
    join(cwd, 'target.yaml'),
    `plumbline: 1\npods: https://a.test\nkeys: {full: plumbline-example-full}\nknown: [{${known}, reason: a, expires: 2027-01-31}]\n`,
  )
  return 'target.yaml'
}

test.each([
  'rule: pods.action.exited.stop',
  'rule: pods.action.exited.stop, clause: refused',
  'rule: limits.queue.run, clause: over',
])('known: {%s} is taken', async (known) => {
  expect((await readTarget(write(known), terminal)).known).toHaveLength(1)
})

test.each([
  [
    'rule: pods.action.exited.stopp',
    'known.0.rule: unknown rule pods.action.exited.stopp; did you mean pods.action.exited.stop?',
  ],
  [
    'rule: pods.action.exited.stop, clause: refusd',
    'known.0.clause: pods.action.exited.stop has no clause refusd; did you mean refused?',
  ],
  [
    'rule: pods.action.exited.stop, clause: elsewhere',
    'known.0.clause: pods.action.exited.stop has no clause elsewhere; known: refused, unchanged',
  ],
])('known: {%s} is refused', async (known, message) => {
  await expect(readTarget(write(known), terminal)).rejects.toThrow(message)
})

test.each([
  ['away/none.yaml', /^away\/none\.yaml: no such target file; /],
  ['.', /^\.: this is a folder; /],
  ['faulty.yaml', /^faulty\.yaml:1: /],
])('a fault of %s begins with that name', async (name, message) => {
  writeFileSync(join(cwd, 'faulty.yaml'), 'plumbline: 2\n')
  await expect(readTarget(name, terminal)).rejects.toThrow(message)
})

test('an empty name is refused', async () => {
  await expect(readTarget('', terminal)).rejects.toThrow('--target is empty; name a target file')
})
