import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunOptions } from '../../../harness/run/options.ts'
import { parseTarget } from '../../../target-file/load.ts'
import { moduleUrl } from '../package-paths.ts'
import { startChild } from './child.ts'

const unfinished = { signal: null, said: '', inOrder: false }

test.each<[does: string, body: string, silentMs: number, end: object]>([
  ['ends', 'process.exit(3)', 60_000, { ...unfinished, code: 3 }],
  [
    'stands still',
    'for (;;);',
    900,
    { ...unfinished, code: null, signal: 'SIGKILL', said: 'nothing for 0.9 s, so it was killed' },
  ],
  [
    'says that it ends, and fails',
    `require('node:fs').writeSync(3, '{"type":"ended"}\\n'); process.exit(1)`,
    60_000,
    { ...unfinished, code: 1, inOrder: true },
  ],
])('a process that %s is ended', async (_, body, silentMs, end) => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-child-'))
  const module = join(folder, 'child.cjs')
  writeFileSync(module, body)
  const options = {} as RunOptions
  const { ended } = startChild({ options, environment: process.env, onProgress() {}, module, silentMs })
  expect(await ended).toEqual(end)
})

/** Source of a module that rejects a promise, which nobody takes, when the run reports its end. */
const rejectingAtTheEnd = encodeURIComponent(`
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const { writeSync } = fs
  fs.writeSync = (file, text) => {
    if (text.includes('ended')) Promise.reject(new Error('late'))
    return writeSync(file, text)
  }
  syncBuiltinESMExports()
`)

test.each<[when: string, suites: string, record: string | null, end: object]>([
  ['the record cannot be written', '', '/dev/full', { code: 1, signal: null, said: expect.stringContaining('ENOSPC') }],
  [
    'a promise is rejected with its last line',
    rejectingAtTheEnd,
    null,
    { code: 1, signal: null, said: expect.stringContaining('late') },
  ],
  ['a rule leaves a timer', 'setTimeout(()=>{},300000)', null, { code: 0, signal: null, inOrder: true }],
])('the process that runs the rules ends if %s, whatever else the run holds', async (_, suites, record, end) => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-full-'))
  if (record !== null) symlinkSync(record, join(folder, 'evidence.ndjson'))
  const file =
    'plumbline: 1\npods: http://127.0.0.1:1\nreceiver: {listen: 127.0.0.1:0}\nkeys: {full: plumbline-example-full}\n'
  const options: RunOptions = {
    ...{ run: 'rfull', plumbline: '0', seed: 1, startedMs: 0, profiles: [], rules: [], strict: false, keep: false },
    digests: { suite: '', ledger: '', specification: '', target: '' },
    suites: `data:text/javascript,${suites}`,
    target: parseTarget(file, { file: 'target.yaml', environment: {} }),
    ...{ targetFile: null, embed: null, evidence: folder, resources: null },
  }
  const { ended } = startChild({ options, environment: process.env, onProgress() {} })
  expect(await ended).toMatchObject(end)
})

test('a run adds what its budget left out while time is left', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-added-'))
  const rules = ['pods.create.gpu', 'pods.create.env-kept', 'version.paths']
  const reason = 'left out by the budget of 5m: with it the run takes 6m'
  const reserved = (rule: string, ms: number) => ({ rule, ms, requests: 4 })
  const options: RunOptions = {
    ...{
      run: 'radded',
      plumbline: '0',
      seed: 1,
      startedMs: Date.now(),
      profiles: [],
      rules,
      strict: false,
      keep: false,
    },
    digests: { suite: '', ledger: '', specification: '', target: '' },
    ...{ suites: moduleUrl('suites/all'), embed: moduleUrl('proof/instance'), target: null, targetFile: null },
    ...{ evidence: folder, resources: null, budgetMs: 300_000 },
    leftOut: rules.slice(0, 2).map((rule) => ({ rule, reason })),
    reserve: {
      rules: [reserved('pods.create.gpu', 1_000), reserved('pods.create.env-kept', 299_000)],
      perMinute: null,
      spareRequests: null,
    },
  }
  const { ended } = startChild({ options, environment: process.env, onProgress() {} })
  expect(await ended).toMatchObject({ code: 0 })
  const record = readFileSync(join(folder, 'evidence.ndjson'), 'utf8').trim().split('\n')
  const events = record.map((line) => JSON.parse(line))
  expect(events.filter(({ type }) => type === 'added')).toEqual([{ type: 'added', rule: 'pods.create.gpu' }])
  expect(events.filter(({ type, reason: said }) => type === 'verdict' && said !== null)).toMatchObject([
    { rule: 'pods.create.env-kept', verdict: 'unverified', reason },
  ])
})
