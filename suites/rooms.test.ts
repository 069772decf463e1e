import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// What may never be in a room, as the table of docs/decisions.md says, for those that a text shows.

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

test.each([
  ['{harness,target,results,suites}', 'an import of reference/', reference, null],
  ['suites', 'a catch', /\bcatch\s*[({]/, null],
  ['{target,results,suites}', 'a sleep', sleep, null],
  ['{harness,target,results,suites}', 'a timer of its own', timer, timed],
  ['{target,results,suites}', 'HTTP', http, /^target\/types\.ts$/],
  ['{harness,target,results,suites,reference,proof,reports,load,generated}', 'an exit', exit, children],
  ['{harness,target,results}', 'an import of suites/', suites, null],
  ['reference', 'an import of suites/', suites, null],
  ['reference', 'a port', port, null],
  ['reports', 'a clock, a file system, a console', /\bDate\.now\b|\bnew Date\(\)|node:fs|\bconsole\./, null],
])('in %s/ there is never %s', (room, _, forbidden, aside) => {
  const files = globSync(`${room}/**/*.ts`, { cwd: root }).filter(isOwn)
  expect(files).not.toEqual([])
  const inRoom = files.filter((file) => aside === null || !aside.test(file))
  expect(inRoom.filter((file) => forbidden.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
})

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
