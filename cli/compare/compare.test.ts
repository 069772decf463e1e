import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { rules } from '../../generated/rules.ts'
import { buildResults, serialiseResults } from '../../results/build.ts'
import { eventsOf, sampleFinding, sampleRun, sampleStartMs, sampleVerdict } from '../../results/testing/sample.ts'
import { runHere } from '../shared/testing/in-process.ts'

const rule = 'pods.action.exited.stop'
const cwd = mkdtempSync(join(tmpdir(), 'plumbline-compare-'))

beforeAll(async () => {
  for (const verdict of ['passed', 'failed'] as const) {
    mkdirSync(join(cwd, verdict))
    const end = { type: 'end', endedMs: sampleStartMs, passedMs: 0, exchanges: 1, stopped: null } as const
    const events = [sampleRun([rule]), sampleFinding(rule, null), sampleVerdict(rule, verdict), end]
    const results = await buildResults(eventsOf(events), { ledger: rules })
    writeFileSync(join(cwd, verdict, 'results.json'), serialiseResults(results))
  }
  writeFileSync(join(cwd, 'other.json'), '{}')
  mkdirSync(join(cwd, 'smoke'))
  writeFileSync(join(cwd, 'smoke', 'evidence.ndjson'), '')
  mkdirSync(join(cwd, 'damaged'))
  writeFileSync(join(cwd, 'damaged', 'results.json'), '{"format": 1}')
})

test.each<[words: string, code: number, said: string]>([
  ['passed failed', 1, 'worse than passed: 0 known failures, 1 new'],
  ['failed failed/results.json', 2, 'failed and failed/results.json are the same results; name those of two runs'],
  ['failed passed/results.json', 0, 'no worse than failed: 0 known failures, 0 new, 1 fixed'],
  ['passed failed --format markdown', 1, '### Plumbline: worse than passed'],
  ['passed failed --format json', 1, '"isWorse": true'],
  ['passed', 2, "missing required argument 'new'"],
  ['passed none', 2, 'none does not exist'],
  ['passed other.json', 2, 'other.json should be the results of this version, and it must'],
  [
    'passed smoke',
    2,
    'smoke holds no results.json; load smoke, mixed and soak judge no rules; for any other run, write',
  ],
  [
    'passed damaged',
    2,
    "damaged/results.json should be the results of this version, and it must have required property 'run'",
  ],
  ['passed failed --format xml', 2, 'Allowed choices are text, json, markdown.'],
])('compare %s ends with %i', async (words, code, said) => {
  const seen = await runHere(['compare', ...words.split(' ')], { cwd })
  expect(seen.out + seen.err).toContain(said)
  expect(seen.code).toBe(code)
})
