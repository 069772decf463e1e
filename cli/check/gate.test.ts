import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rules } from '../../generated/rules.ts'
import { judgedByLoad } from '../../harness/rule/load-rules.ts'
import { buildResults, serialiseResults } from '../../results/build.ts'
import { eventsOf, sampleExchange, sampleFinding, sampleRun, sampleVerdict } from '../../results/testing/sample.ts'
import type { Results } from '../../results/types.ts'
import { createCommands } from '../shared/testing/commands.ts'

// A served reference with one defect: the suite is red, and the flags of the gate say whether it becomes worse.

const failing = 'pods.action.exited.stop'
const only = ['--only', 'pods.action.exited.*', '--only', 'auth.pods.missing']
const { cwd, run, serve, close } = createCommands('gate')
let target: string[]

beforeAll(async () => {
  const served = await serve(['--clock', 'control', '--defect', 'exited-stop-accepted'])
  target = ['--target', served.target]
  expect(await run(['check', '--reference', ...only, '--out', 'clean'])).toMatchObject({ code: 0 })
  expect(await run(['check', ...target, ...only, '--seed', '5', '--out', 'red'])).toMatchObject({ code: 1 })
}, 120_000)

afterAll(close)

describe('--baseline', () => {
  test('accepts the failures of the baseline, and changes no verdict', { timeout: 60_000 }, async () => {
    const { code, said } = await run(['check', ...target, ...only, '--quiet', '--baseline', 'red', '--out', 'again'])
    expect(said).toMatch(/^not conformant: .*\nno worse than red: 1 known failure, 0 new\nreport: /)
    expect(code).toBe(0)
    expect(resultsIn('again')).toMatchObject({ verdict: { word: 'not conformant', exit: 1 }, run: { seed: 5 } })
    expect(readFileSync(join(cwd, 'again', 'junit.xml'), 'utf8')).toMatch(/<testsuites [^>]*failures="0" errors="0"/)
    const replayed = await run(['replay', 'again'])
    expect(replayed.said).toContain('results.json beside the record matches the record')
    expect(replayed.code).toBe(1)
  })

  test('accepts no other failure', { timeout: 60_000 }, async () => {
    const words = ['check', ...target, ...only, '--baseline', 'clean/results.json', '--out', 'worse']
    const { code, said } = await run(words)
    const { seed } = resultsIn('clean').run
    expect(said).toContain(`seed ${seed}, as in the baseline clean/results.json\n`)
    expect(resultsIn('worse').run.seed).toBe(seed)
    expect(said).toContain('note  they were made with different target files')
    expect(said).toContain(`\nnewly failing: 1\n  ${failing}  passed → failed\n    clause `)
    expect(said).toContain('\nworse than clean/results.json: 0 known failures, 1 new\n')
    expect(code).toBe(1)
  })

  test('does not hide a run that could not be judged', { timeout: 60_000 }, async () => {
    const away = 'plumbline: 1\npods: http://127.0.0.1:1\nkeys: {full: plumbline-example-full}\n'
    writeFileSync(join(cwd, 'away.yaml'), away)
    expect(await run(['check', '--target', 'away.yaml', ...only, '--baseline', 'red'])).toMatchObject({ code: 5 })
  })
})

describe('--rerun-failed', () => {
  test('selects the failed rules, with the seed of their run', { timeout: 60_000 }, async () => {
    expect(await run(['check', ...target, '--rerun-failed', 'red', '--out', 'failed'])).toMatchObject({ code: 1 })
    const { rules, run: ran } = resultsIn('failed')
    expect(rules.map(({ id }) => id)).toEqual([failing])
    expect(ran.seed).toBe(5)
  })

  test('selects rules that were not verified, and the scenario that showed an invariant', async () => {
    const [cause, blocked, invariant, shows] = [
      'pods.create.read-back',
      'pods.delete',
      'errors.no-5xx',
      'pods.list.contains',
    ]
    await write('blocked', [
      sampleRun([cause, blocked, invariant, shows, 'pods.patch.null']),
      sampleExchange(1, shows),
      sampleFinding(cause, null),
      sampleVerdict(cause, 'failed'),
      sampleVerdict(blocked, 'blocked', { by: cause }),
      sampleVerdict('pods.patch.null', 'blocked', { by: 'fixture:pod.exited' }),
      sampleFinding(invariant, 1),
      sampleVerdict(invariant, 'failed'),
      sampleVerdict(shows, 'passed'),
      { type: 'end', endedMs: 0, passedMs: 0, exchanges: 1, stopped: null },
    ])
    expect(await run(['check', '--reference', '--rerun-failed', 'blocked', '--out', 'of-blocked'])).toMatchObject({
      code: 0,
    })
    const ids = resultsIn('of-blocked').rules.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining([cause, blocked, invariant, shows, 'pods.patch.null']))
  })

  test('has nothing to do if all was verified', async () => {
    const said = 'nothing failed in clean, and nothing is left to verify: conformant'
    const seen = await run(['check', ...target, '--rerun-failed', 'clean'])
    expect(seen).toEqual({ code: 0, said: expect.stringContaining(said) })
  })
})

describe('--fail-fast', () => {
  test('ends the run at a failure, removes what it made, and can be replayed', { timeout: 60_000 }, async () => {
    const words = ['check', ...target, '--only', 'pods.action*', '--fail-fast', '--out', 'fast']
    expect(await run(words)).toMatchObject({ code: 1 })
    const reasons = resultsIn('fast').rules.flatMap(({ verdict, reason }) => (verdict === 'unverified' ? [reason] : []))
    expect(new Set(reasons)).toContain(`the run ended when ${failing} failed (--fail-fast)`)
    expect(await run(['sweep'])).toMatchObject({ code: 0, said: expect.stringContaining('nothing') })
    expect(await run(['replay', 'fast'])).toMatchObject({ code: 1 })
  })

  test('goes on after a failure of the baseline', { timeout: 60_000 }, async () => {
    const words = ['check', ...target, ...only, '--fail-fast', '--baseline', 'red', '--out', 'tolerant']
    expect(await run(words)).toMatchObject({ code: 0 })
    expect(resultsIn('tolerant').counts).toEqual(resultsIn('red').counts)
  })
})

test.each<[words: string, said: string]>([
  ['--reference --baseline none', '--baseline none does not exist'],
  ['--reference --baseline red --out red', '--out red would replace the baseline; choose another folder'],
  ['--reference --baseline cut', '--baseline cut: that run is interrupted: '],
  ['--reference --rerun-failed none', '--rerun-failed none does not exist'],
  [
    '--reference --rerun-failed red --only pods',
    "option '--rerun-failed <run>' cannot be used with option '--only <pattern>'",
  ],
  [
    '--reference --rerun-failed load',
    '--rerun-failed load: its 1 rule cannot be rerun; add --load for rules of load, and the --rules of that run if it had any',
  ],
  ['--target away.yaml --load --fail-fast', "option '--fail-fast' cannot be used with option '--load'"],
])('check %s is refused', async (words, message) => {
  await write('cut', [sampleRun([failing])])
  const [ofLoad = ''] = judgedByLoad
  await write('load', [sampleRun([ofLoad]), sampleFinding(ofLoad, null), sampleVerdict(ofLoad, 'failed')])
  const { code, said } = await run(['check', ...words.split(' ')])
  expect(said).toContain(`plumbline: ${message}`)
  expect(code).toBe(2)
})

function resultsIn(folder: string): Results {
  return JSON.parse(readFileSync(join(cwd, folder, 'results.json'), 'utf8'))
}

async function write(folder: string, events: Parameters<typeof eventsOf>[0]): Promise<void> {
  mkdirSync(join(cwd, folder), { recursive: true })
  const results = await buildResults(eventsOf(events), { ledger: rules })
  writeFileSync(join(cwd, folder, 'results.json'), serialiseResults(results))
}
