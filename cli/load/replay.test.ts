import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createColors } from 'picocolors'
import { beforeAll, expect, test } from 'vitest'
import { createFileRecorder } from '../../harness/record/recorder.ts'
import { createRedactor } from '../../harness/record/redact.ts'
import { recordJudgement } from '../../harness/run/judge.ts'
import { conductLoad, oneByOne } from '../../load/conduct.ts'
import { judgementsOf } from '../../load/judgements.ts'
import { readRawPoints } from '../../load/k6/raw.ts'
import type { Step } from '../../load/queue/steps.ts'
import { planEventOf, planFolder, plansFolder, pointsOf, rawName } from '../../load/record.ts'
import { createLimits } from '../../load/testing/targets.ts'
import { serialiseResults } from '../../results/build.ts'
import { sampleRun } from '../../results/testing/sample.ts'
import { parseTarget } from '../../target-file/load.ts'
import { replay } from '../replay/replay.ts'
import { resultsOf } from '../shared/records/record.ts'
import type { Terminal } from '../shared/terminal.ts'

// The folder of a run as k6 and the harness leave it, its raw points written by a limiter instead of k6.

const cwd = mkdtempSync(join(tmpdir(), 'plumbline-load-replay-'))
const rule = 'limits.queue.cancel'
const health = [0, 0].map((ready) => ({ status: 200, body: { workers: { ready } } }))
const target = parseTarget(
  'plumbline: 1\nqueue: {url: http://127.0.0.1:9, endpoints: {normal: a, dedicated: b}}\nkeys: {full: plumbline-example-full}\n',
  { file: 't.yaml', environment: {} },
)
let copies = 0

beforeAll(() => writeLoad(join(cwd, 'whole')))

test('the verdicts of a load are derived again from its raw points, with the same bytes', async () => {
  const { code, out, err } = await replayed('whole', { out: 'again' })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('1 passed')
  expect(textIn('again', 'results.json')).toBe(textIn('whole', 'results.json'))
})

test('plans are read by their names, because the record has them in the order of their ends', async () => {
  cpSync(join(cwd, 'whole'), join(cwd, 'ends'), { recursive: true })
  changePlans(join(cwd, 'ends'), (lines) => lines.toReversed())
  expect(await replayed('ends')).toMatchObject({ code: 0, err: '' })
})

const evidence = 'evidence.ndjson'
const keptAs = (verdict: string, given: string) =>
  new RegExp(`^results\\.json: limits\\.queue\\.cancel was kept as ${verdict}, and the record gives ${given}$`, 'm')

test.each<[string, (folder: string) => void, RegExp, RegExp?]>([
  [
    'a request that was refused',
    (folder) => changeRaw(folder, '02-cancel-under', (text) => text.replaceAll('"200"', '"429"')),
    keptAs('passed', 'broken'),
    /load\/02-cancel-under\/raw\.json\.gz is not the file that the record names$/m,
  ],
  [
    'a refused request that the record names',
    (folder) => {
      const { digest } = pointsOf(folder, '02-cancel-under')
      changeRaw(folder, '02-cancel-under', (text) => text.replaceAll('"200"', '"429"'))
      changeText(folder, evidence, digest, pointsOf(folder, '02-cancel-under').digest)
      changePlans(folder, asBefore)
    },
    keptAs('passed', 'failed'),
    /answered 429/,
  ],
  [
    'a count of a second',
    (folder) => changePlans(folder, (lines) => lines.map((line) => line.replace('"served":[', '"served":[1'))),
    keptAs('passed', 'broken'),
    /the record says of 01-smoke what its points do not give$/m,
  ],
  [
    'raw points that are cut off',
    (folder) => change(folder, `load/03-cancel-over/${rawName}`, (bytes) => bytes.subarray(0, 900)),
    keptAs('passed', 'broken'),
    /load\/03-cancel-over\/raw\.json\.gz cannot be read to its end$/m,
  ],
  [
    'a plan without raw points',
    (folder) => rmSync(join(folder, 'load', '03-cancel-over', rawName)),
    keptAs('passed', 'broken'),
    /load\/03-cancel-over\/raw\.json\.gz cannot be read to its end$/m,
  ],
  [
    'a plan that is left out',
    (folder) => changePlans(folder, (lines) => lines.toSpliced(1, 1)),
    keptAs('passed', 'broken'),
    /the plan 02-cancel-under follows from the record, which does not have it$/m,
  ],
  [
    'a last plan that is left out',
    (folder) => changePlans(folder, (lines) => lines.toSpliced(2, 1)),
    keptAs('passed', 'broken'),
    /the plan 03-cancel-over follows from the record, which does not have it$/m,
  ],
  [
    'a plan that nothing leads to',
    (folder) => changePlans(folder, (lines) => [...lines, ...lines.slice(2)]),
    keptAs('passed', 'broken'),
    /nothing in the record leads to its plan 03-cancel-over$/m,
  ],
  [
    'a verdict of the results',
    (folder) => changeText(folder, 'results.json', '"verdict": "passed"', '"verdict": "failed"'),
    keptAs('failed', 'passed'),
  ],
  [
    'another byte of the results',
    (folder) => changeText(folder, 'results.json', '"seed": null', '"seed": 8'),
    /^results\.json differs in bytes from what the record gives$/m,
  ],
  [
    'a verdict of the results that is none',
    (folder) => changeText(folder, 'results.json', '"verdict": "passed"', '"verdict": "\\u001b[2Jpassed"'),
    keptAs('an unknown verdict', 'passed'),
  ],
])('%s is told, and the exit code is that of broken', async (_, damage, message, why) => {
  const name = `changed-${copies++}`
  cpSync(join(cwd, 'whole'), join(cwd, name), { recursive: true })
  damage(join(cwd, name))
  const { code, out, err } = await replayed(name)
  expect(err).toMatch(message)
  if (why !== undefined) expect(out).toMatch(why)
  expect(err).toMatch(
    /^plumbline: the kept files differ from what the recorded exchanges give; they were changed or are damaged, or judged by another state of the suite \(exit 4\)$/m,
  )
  expect(code).toBe(4)
})

test.each([
  ['passes', (text: string) => text, /\b1 passed/],
  ['fails', (text: string) => text.replaceAll('"200"', '"429"'), /^FAILED {2}limits\.queue\.cancel {2}/],
])('a load of two machines, one of them 3 s ahead, %s as that of one', async (name, change, verdict) => {
  const folder = `machines-${name}`
  const dir = join(cwd, folder)
  cpSync(join(cwd, 'whole'), dir, { recursive: true })
  rmSync(join(dir, 'results.json'))
  changePlans(dir, asBefore)
  for (const plan of ['01-smoke', '02-cancel-under', '03-cancel-over']) {
    const { file, digest } = pointsOf(dir, plan)
    if (plan === '02-cancel-under') changeRaw(dir, plan, change)
    divide(join(dir, file))
    const machines = pointsOf(dir, plan)
    changeText(dir, evidence, digest, machines.digest)
    changeText(dir, evidence, file, machines.file)
    expect(machines.file).toBe(`load/${plan}/raw-*.json.gz`)
  }
  expect((await replayed(folder)).out).toMatch(verdict)
})

test('a version that judged otherwise is named', async () => {
  cpSync(join(cwd, 'whole'), join(cwd, 'older'), { recursive: true })
  changeText(join(cwd, 'older'), evidence, '"plumbline":"0.1.0"', '"plumbline":"0.0.9"')
  expect((await replayed('older')).err).toMatch(
    /or judged by another version \(0\.0\.9; this is 0\.1\.0\) \(exit 4\)$/m,
  )
})

/** A load of the rate of /cancel: the smoke, then both plans, by a limiter in fixed windows. */
async function writeLoad(dir: string): Promise<void> {
  mkdirSync(dir)
  const load = { rules: [rule], windowScale: 1, k6: '2.1.0', isSmoke: false }
  const run = sampleRun([rule], { profiles: ['limits'], seed: null, target: JSON.parse(JSON.stringify(target)), load })
  const recorder = createFileRecorder(dir, createRedactor({}))
  recorder.event(run)
  let count = 0
  const conducted = await conductLoad({
    target,
    load,
    action: 'stop',
    perform: (batch, done) =>
      oneByOne(batch, async (step) => {
        const plan = planFolder(++count, step.name)
        const folder = join(dir, plansFolder, plan)
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, rawName), gzipSync(rawOf(step)))
        const { points } = await readRawPoints(join(folder, rawName))
        const driven = { points, health, notes: [] }
        recorder.event(planEventOf(dir, plan, step.plan, driven))
        done(step, driven)
      }),
  })
  for (const judgement of judgementsOf(load, conducted)) recordJudgement(recorder, judgement)
  recorder.event({ type: 'end', endedMs: run.startedMs + 5000, passedMs: 5000, exchanges: 0, stopped: null })
  recorder.flush()
  writeFileSync(join(dir, 'results.json'), serialiseResults(await resultsOf(dir)))
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
  const code = await replay(folder, { format: [], ...options }, terminal)
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

/** Divides raw points among two machines that record Dates, the second with a clock that is 3 s ahead. */
function divide(file: string): void {
  const lines = gunzipSync(readFileSync(file)).toString().split('\n')
  for (const machine of [0, 1]) {
    const own = lines.filter((_, n) => n % 2 === machine).map((line) => JSON.parse(line))
    const text = own.flatMap(({ data, ...line }) => {
      const endMs = Date.parse(data.time)
      const time = new Date(endMs + machine * 3000).toISOString()
      const value = endMs + machine * 3000 - data.value
      const tags = { date: new Date(endMs).toUTCString() }
      return [
        { ...line, data: { ...data, time } },
        { metric: 'plumbline_date', type: 'Point', data: { time, value, tags } },
      ].map((one) => JSON.stringify(one))
    })
    writeFileSync(file.replace('raw.', `raw-${machine + 1}.`), gzipSync(text.join('\n')))
  }
  rmSync(file)
}

/** Plans as an older version wrote them. */
function asBefore(plans: readonly string[]): readonly string[] {
  return plans.map((line) => line.replace(/,"perSecond":.*}$/, '}'))
}

/** Changes the lines of the plans in a record. */
function changePlans(folder: string, by: (lines: readonly string[]) => readonly string[]): void {
  change(folder, evidence, (bytes) => {
    const lines = bytes.toString().split('\n')
    const isPlan = (line: string) => line.startsWith('{"type":"plan"')
    const first = lines.findIndex(isPlan)
    const plans = by(lines.filter(isPlan))
    return Buffer.from(
      [...lines.slice(0, first), ...plans, ...lines.slice(first).filter((line) => !isPlan(line))].join('\n'),
    )
  })
}
