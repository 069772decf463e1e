import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createColors } from 'picocolors'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rules as ledger } from '../../generated/rules.ts'
import { type Judged, judgeStep } from '../../load/judge-step.ts'
import { readRawPoints } from '../../load/k6/raw.ts'
import { limitSteps, type Step, smokeSteps } from '../../load/queue/steps.ts'
import {
  loadFormat,
  planFolder,
  plansFolder,
  rawName,
  resultsOfRecord,
  verdictsName,
  verdictsText,
  writeRecord,
} from '../../load/record.ts'
import { createLimits } from '../../load/testing/targets.ts'
import { serialiseResults } from '../../results/build.ts'
import { sampleRun } from '../../results/sample.ts'
import { parseTarget } from '../../target/load.ts'
import { replay } from '../commands/replay.ts'
import type { Terminal } from '../terminal.ts'

// The folder of a load as k6 and the harness leave it, its raw points written by a limiter instead of k6.

const cwd = mkdtempSync(join(tmpdir(), 'plumbline-load-replay-'))
const rule = 'limits.queue.cancel'
const rules = new Set([rule])
const health = [0, 0].map((ready) => ({ status: 200, body: { workers: { ready } } }))
const target = parseTarget(
  'plumbline: 1\nqueue: {url: http://127.0.0.1:9, endpoints: {normal: a, dedicated: b}}\nkeys: {full: plumbline-example-full}\n',
  { file: 't.yaml', environment: {} },
)
let copies = 0

beforeAll(() => writeLoad(join(cwd, 'whole')))

afterAll(() => rmSync(cwd, { recursive: true }))

test('the verdicts of a load are derived again from its raw points, with the same bytes', async () => {
  const { code, out, err } = await replayed('whole', { out: 'again' })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('1 passed')
  expect(textIn('again', 'results.json')).toBe(textIn('whole', 'results.json'))
})

test.each<[string, (folder: string) => void, RegExp]>([
  [
    'a request that was refused',
    (folder) => changeRaw(folder, '02-cancel-under', (text) => text.replaceAll('"200"', '"429"')),
    /^load\/02-cancel-under: limits\.queue\.cancel was kept as passed \(.*\), and the raw points show failed \(/m,
  ],
  [
    'the same points in different bytes',
    (folder) => changeRaw(folder, '02-cancel-under', (text) => `${text}\n`),
    /^load\/02-cancel-under: raw\.json\.gz is not the file that was judged$/m,
  ],
  [
    'raw points that are cut off',
    (folder) => change(folder, `load/03-cancel-over/${rawName}`, (bytes) => bytes.subarray(0, 900)),
    /^load\/03-cancel-over: Expected the raw points of k6 in .*unexpected end of file/m,
  ],
  [
    'a plan without raw points',
    (folder) => rmSync(join(folder, 'load', '03-cancel-over', rawName)),
    /^load\/03-cancel-over: Expected the raw points of k6 in .*ENOENT/m,
  ],
  [
    'a verdict',
    (folder) => changeText(folder, `load/02-cancel-under/${verdictsName}`, '"passed"', '"inconclusive"'),
    /^load\/02-cancel-under: limits\.queue\.cancel was kept as inconclusive \(.*\), and the raw points show passed \(/m,
  ],
  [
    'the workers of /health',
    (folder) => changeText(folder, `load/03-cancel-over/${verdictsName}`, '"ready": 0', '"ready": 7'),
    /^load\/03-cancel-over: the plan that was kept is not the one that follows from the record$/m,
  ],
  [
    'verdicts that are no JSON',
    (folder) => changeText(folder, `load/01-smoke/${verdictsName}`, '{', ''),
    /^load\/01-smoke: verdicts\.json cannot be read \(/m,
  ],
  [
    'a plan that is left out',
    (folder) => changeText(folder, 'load/load.json', '"02-cancel-under",', ''),
    /^load\/03-cancel-over was driven where load\/02-cancel-under follows from what came before it$/m,
  ],
  [
    'a last plan that is left out',
    (folder) => changeText(folder, 'load/load.json', ',\n    "03-cancel-over"', ''),
    /^load\/03-cancel-over is missing$/m,
  ],
  [
    'a plan that nothing asks for',
    (folder) => changeText(folder, 'load/load.json', '"03-cancel-over"', '"03-cancel-over", "04-cancel-over"'),
    /^load\/04-cancel-over follows from nothing that came before it$/m,
  ],
  [
    'a verdict of the results',
    (folder) => changeText(folder, 'results.json', '"verdict": "passed"', '"verdict": "failed"'),
    /^results\.json: limits\.queue\.cancel was kept as failed, and the record gives passed$/m,
  ],
  [
    'another byte of the results',
    (folder) => changeText(folder, 'results.json', '"seed": 7', '"seed": 8'),
    /^results\.json differs in bytes from what the record gives$/m,
  ],
  [
    'a verdict of the results that is none',
    (folder) => changeText(folder, 'results.json', '"verdict": "passed"', '"verdict": "\\u001b[2Jpassed"'),
    /^results\.json: limits\.queue\.cancel was kept as an unknown verdict, and the record gives passed$/m,
  ],
  [
    'a verdict that is none',
    (folder) => changeText(folder, `load/02-cancel-under/${verdictsName}`, '"passed"', '"\\u001b[2Jpassed"'),
    /^load\/02-cancel-under: limits\.queue\.cancel was kept as an unknown verdict \(".*"\), and the raw points/m,
  ],
  [
    'a sentence',
    (folder) => changeText(folder, `load/02-cancel-under/${verdictsName}`, '"sentence": "', '"sentence": "\\u001b[2J'),
    /^load\/02-cancel-under: limits\.queue\.cancel was kept as passed \("\\u001b\[2J.*"\), and the raw points/m,
  ],
  [
    'a rule',
    (folder) => changeText(folder, `load/02-cancel-under/${verdictsName}`, `"${rule}"`, `"\\u001b[2J${rule}"`),
    /^load\/02-cancel-under: an unknown rule was kept as passed \(".*"\), and the raw points show nothing$/m,
  ],
  ['no results', (folder) => rmSync(join(folder, 'results.json')), /^results\.json is missing$/m],
])('%s is told, and the exit code is that of broken', async (_, damage, message) => {
  const name = `changed-${copies++}`
  cpSync(join(cwd, 'whole'), join(cwd, name), { recursive: true })
  damage(join(cwd, name))
  const { code, err } = await replayed(name)
  expect(err).toMatch(message)
  expect(err).toMatch(
    /^plumbline: the kept files differ from what its raw points give; they were changed or are damaged, or judged by another state of the suite$/m,
  )
  expect(code).toBe(4)
})

test.each<[string, string, RegExp]>([
  ['of another format', '"format": 2', /load\.json has the format 2, and this version reads 1$/],
  ['that is damaged', '"format" 1', /load\.json is damaged: no record of a load can be read from it$/],
])('a record %s is refused', async (_, format, message) => {
  const name = `refused-${copies++}`
  cpSync(join(cwd, 'whole'), join(cwd, name), { recursive: true })
  changeText(join(cwd, name), 'load/load.json', '"format": 1', format)
  await expect(replayed(name)).rejects.toThrow(message)
})

test('a version that judged otherwise is named', async () => {
  cpSync(join(cwd, 'whole'), join(cwd, 'older'), { recursive: true })
  changeText(join(cwd, 'older'), 'load/load.json', '"plumbline": "0.1.0"', '"plumbline": "0.0.9"')
  expect((await replayed('older')).err).toMatch(/or judged by another version \(0\.0\.9; this is 0\.1\.0\)$/m)
})

/** A load of the rate of /cancel: the smoke, then both plans, by a limiter in fixed windows. */
async function writeLoad(dir: string): Promise<void> {
  const known = { rules, hasRequests: false, windowScale: 1, workers: 'unknown', holds: {} } as const
  const judged: Judged[] = []
  const plans: string[] = []
  for (const step of [...smokeSteps(known), ...limitSteps(known)]) {
    const name = planFolder(plans.length + 1, step.name)
    const folder = join(dir, plansFolder, name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, rawName), gzipSync(rawOf(step)))
    const { points } = await readRawPoints(join(folder, rawName))
    const one = judgeStep({ step, points, notes: [], rules, queue: target.queue, health })
    writeFileSync(join(folder, verdictsName), verdictsText(one, folder))
    judged.push(one)
    plans.push(name)
  }
  const run = sampleRun([rule], { profiles: ['limits'], target: JSON.parse(JSON.stringify(target)) })
  const ends = { seen: null, brokenOff: null, stopped: null, endedMs: run.startedMs + 5000 }
  const record = { format: loadFormat, kind: 'limits', run, windowScale: 1, k6: '2.1.0', plans, ...ends } as const
  writeRecord(dir, record)
  const results = await resultsOfRecord(record, { judged, undecided: new Map(), leftOut: new Map() }, ledger)
  writeFileSync(join(dir, 'results.json'), serialiseResults(results))
}

/** The output of k6 for a plan. */
function rawOf({ plan }: Step): string {
  const limiter = createLimits({})('b', 'cancel')
  const stretches = plan.plane === 'queue' ? plan.stretches : []
  const moments = stretches.flatMap(({ startMs, count, spacingMs }) =>
    Array.from({ length: count }, (_, n) => Date.UTC(2026, 0, 1) + startMs + n * spacingMs),
  )
  const lines = moments.map((ms) => {
    const admission = limiter.admit(ms)
    if (admission.admitted) admission.release()
    const status = admission.admitted ? '200' : '429'
    const data = {
      time: new Date(ms).toISOString(),
      value: 1,
      tags: { operation: 'cancel', endpoint: 'first', status },
    }
    return JSON.stringify({ metric: 'http_req_duration', type: 'Point', data })
  })
  return lines.join('\n')
}

async function replayed(folder: string, options: { readonly out?: string } = {}) {
  const out: string[] = []
  const err: string[] = []
  const terminal: Terminal = {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    environment: {},
    cwd,
    live: false,
    color: false,
    colors: createColors(false),
  }
  const code = await replay(folder, options, terminal)
  return { code, out: out.join('\n'), err: err.join('\n') }
}

function textIn(folder: string, name: string): string {
  return readFileSync(join(cwd, folder, name), 'utf8')
}

function change(folder: string, name: string, by: (bytes: Buffer) => Uint8Array): void {
  const file = join(folder, name)
  writeFileSync(file, by(readFileSync(file)))
}

function changeText(folder: string, name: string, from: string, to: string): void {
  expect(readFileSync(join(folder, name), 'utf8')).toContain(from)
  change(folder, name, (bytes) => Buffer.from(bytes.toString().replace(from, to)))
}

function changeRaw(folder: string, plan: string, by: (text: string) => string): void {
  change(folder, `load/${plan}/${rawName}`, (bytes) => gzipSync(by(gunzipSync(bytes).toString())))
}
