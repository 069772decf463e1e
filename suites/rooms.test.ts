import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

// What may never be in a room, as the table of docs/decisions.md says, for those that a text shows; and that imports
// between rooms point one way.

const root = join(import.meta.dirname, '..')
const isOwn = (file: string) => !/\.(test|load)\.ts$|\/testing\//.test(file)

/** Any import of these modules: by name, for its effects alone, or while the program runs. */
const importOf = (modules: string) => `(?:\\bfrom|\\bimport)\\s*\\(?\\s*['"\`](?:${modules})`
const timers = '\\bset(?:Timeout|Interval)\\b'

const reference = new RegExp(importOf('[./]*/reference/'))
const http = new RegExp(`${importOf('undici|node:https?')}|\\bfetch\\(`)
const port = new RegExp(importOf('node:(?:https?|net)'))
const suites = new RegExp(importOf('[./]*/suites/'))
const sleep = new RegExp(`${timers}|${importOf('node:timers')}`)
const timer = new RegExp(`${timers}|\\bscheduler\\b`)
const exit = /\bprocess\.(exit|exitCode|reallyExit|abort)\b|\bprocess\.kill\(-?process\.pid\b/

/** Where a timer bounds what comes from outside, and where it shows how far the run is. */
const timed = /^harness\/(clock|transport|receiver|run\/(guard|open)\.ts)/
/** Ended with their parent. */
const children = /^harness\/(run\/child|hooks\/leader)\.ts$/

/** Loads the commands. */
const commandTable = 'cli/shared/program.ts'

test.each([
  ['{harness,target,target-file,results,suites}', 'an import of reference/', reference, null],
  ['suites', 'a catch', /\bcatch\s*[({]/, null],
  ['{target,target-file,results,suites}', 'a sleep', sleep, null],
  ['{harness,target,target-file,results,suites}', 'a timer of its own', timer, timed],
  ['{target,target-file,results,suites}', 'HTTP', http, null],
  [
    '{harness,target,target-file,verdicts,results,suites,reference,proof,reports,load,generated,library}',
    'an exit',
    exit,
    children,
  ],
  ['{harness,target,target-file,results}', 'an import of suites/', suites, null],
  ['reference', 'an import of suites/', suites, null],
  ['reference', 'a port', port, null],
  ['worker', 'an import of another room', /\bfrom '\.\.\//, null],
  ['library', 'a console', /\bconsole\.|\bprocess\.std(out|err)/, null],
  ['reports', 'a clock, a file system, a console', /\bDate\.now\b|\bnew Date\(\)|node:fs|\bconsole\./, null],
])('in %s/ there is never %s', (room, _, forbidden, aside) => {
  const files = globSync(`${room}/**/*.ts`, { cwd: root }).filter(isOwn)
  expect(files).not.toEqual([])
  const inRoom = files.filter((file) => aside === null || !aside.test(file))
  expect(inRoom.filter((file) => forbidden.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
})

test('no two rooms import each other, types included', () => {
  const files = globSync('{*,packages/*}/**/*.ts', { cwd: root, exclude: isInstalled }).filter(isOwn)
  const arrows = files.flatMap((file) =>
    modulesIn(readFileSync(join(root, file), 'utf8'))
      .map((module) => [roomOf(file), roomOf(normalize(join(dirname(file), module)))] as const)
      .filter(([from, to]) => from !== to)
      .map(([from, to]) => ({ arrow: `${from} > ${to}`, back: `${to} > ${from}`, file })),
  )
  const all = new Set(arrows.map(({ arrow }) => arrow))
  expect(all).toContain('harness > target')
  expect(arrows.filter(({ back }) => all.has(back)).map(({ arrow, file }) => `${arrow}: ${file}`)).toEqual([])
})

test('no command imports another, and no file of cli/ but the entry is outside a folder', () => {
  expect(globSync('cli/*.*', { cwd: root })).toEqual(['cli/main.ts'])
  const files = globSync('cli/*/**/*.ts', { cwd: root }).filter((file) => isOwn(file) && file !== commandTable)
  const others = files.flatMap((file) =>
    modulesIn(readFileSync(join(root, file), 'utf8'))
      .map((module) => normalize(join(dirname(file), module)))
      .filter((module) => module.startsWith('cli/') && !['shared', file.split('/')[1]].includes(module.split('/')[1]))
      .map((module) => `${file}: ${module}`),
  )
  expect(others).toEqual([])
})

test('the engine imports no folder of a plane', () => {
  const files = globSync('{harness,results,reports,target,target-file}/**/*.ts', { cwd: root }).filter(
    (file) => isOwn(file) && !file.startsWith('harness/planes/'),
  )
  const ofPlanes = files.filter((file) =>
    modulesIn(readFileSync(join(root, file), 'utf8')).some((module) => /\bplanes\/[^/]+\//.test(module)),
  )
  expect(ofPlanes).toEqual([])
})

test.each([
  ["import type { A } from '../target/types.ts'", ['../target/types.ts']],
  ["export {\n  a,\n} from '../target/a.ts'", ['../target/a.ts']],
  ["import '../target/a.ts'", ['../target/a.ts']],
  ["readonly a: import('../target/types.ts').A", ['../target/types.ts']],
  ["import { join } from 'node:path'", []],
])('the modules of %s are found', (text, modules) => expect(modulesIn(text)).toEqual(modules))

test.each([
  [reference, "import { a } from '../reference/index.ts'"],
  [reference, "import '../reference/index.ts'"],
  [reference, "await import('../../reference/index.ts')"],
  [suites, "import '../suites/all.ts'"],
  [suites, 'await import(`../../suites/all.ts`)'],
  [port, "await import('node:net')"],
  [http, "import 'undici'"],
  [sleep, "const { setImmediate: turn } = await import('node:timers/promises')"],
  [timer, "import { setTimeout as sleep } from 'node:timers/promises'"],
  [exit, 'process.exitCode = 1'],
  [exit, "process.once('disconnect', process.exit)"],
])('%s finds %s', (forbidden, line) => expect(line).toMatch(forbidden))

function isInstalled(file: string): boolean {
  return /(^|\/)(node_modules|dist)$/.test(file)
}

/** The relative modules that a text imports, in any way. */
function modulesIn(text: string): string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"`](\.[^'"`]+)/g)].map(([, module = '']) => module)
}

/** The room of a file; each package is one. */
function roomOf(file: string): string {
  return file.split('/', file.startsWith('packages/') ? 2 : 1).join('/')
}
