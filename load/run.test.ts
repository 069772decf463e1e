import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { analyse } from './analyse/analyse.ts'
import { queuePlan } from './plan/queue-plan.ts'
import { runLoad } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-run-'))

const requests = { cancel: { method: 'POST', path: '/cancel/job', body: null } }
const plan = queuePlan({ operation: 'cancel', shape: 'under' })
const token = 'plumbline-example-secret'

let programs = 0
/** Runs a program in place of k6. */
function runWith(lines: string) {
  const path = join(folder, `k6-${programs++}`)
  writeFileSync(path, `#!/bin/sh\n${lines}\n`)
  chmodSync(path, 0o755)
  return runLoad({ plan, requests, k6: path, url: 'http://127.0.0.1:9', token, folder: `${path}.out` })
}

const raw = join(folder, 'raw.json')
const point = (n: number) => {
  const time = new Date(Date.UTC(2026, 0, 1) + n * 125).toISOString()
  return JSON.stringify({
    metric: 'http_req_duration',
    type: 'Point',
    data: { time, value: 1, tags: { operation: 'cancel', endpoint: 'first', status: '200' } },
  })
}
const lines = Array.from({ length: 320 }, (_, n) => point(n))
// More than is read of each request, and a summary.
const others = lines.map((line) => line.replace('http_req_duration', 'http_req_waiting'))
writeFileSync(raw, [...others, ...lines, 'TOTAL RESULTS'].join('\n'))

test('verdicts come from the raw points, whatever thresholds say', async () => {
  for (const code of [0, 99]) {
    const { points } = await runWith(`cat ${raw}; exit ${code}`)
    expect(points).toHaveLength(320)
    expect(analyse(points, plan)).toMatchObject([{ rule: 'limits.queue.cancel', verdict: 'passed' }])
  }
})

test('only the lines that are read are kept', async () => {
  await runWith(`cat ${raw}`)
  const kept = gunzipSync(readFileSync(join(folder, `k6-${programs - 1}.out`, 'raw.json.gz'))).toString()
  expect(kept).toBe(`${lines.join('\n')}\n`)
})

test('a k6 that says nothing decides nothing', async () => {
  const { points } = await runWith('exit 0')
  expect(analyse(points, plan)).toMatchObject([{ verdict: 'inconclusive', sentence: 'no request was recorded' }])
})

test('what k6 says reaches the notes without the token, which stands in no file', async () => {
  const { notes } = await runWith(`cat ${raw}; echo "level=warning msg=$PLUMBLINE_TOKEN" >&2`)
  expect(notes).toEqual(['k6 said: level=warning msg=«token»'])
  const written = readFileSync(join(folder, `k6-${programs - 1}.out`, 'plan.json'), 'utf8')
  expect(written).not.toContain(token)
  expect(JSON.parse(written)).toMatchObject({
    shape: 'under',
    planned: 320,
    scenarios: { cancel_0: { k6: { rate: 320 } } },
  })
})

test.each([
  ['an error in its options', 'exit 104', /^k6 refused the script or its options after \d+ s, so nothing is judged/],
  [
    'an exception',
    'echo "level=error msg=oops" >&2; exit 107',
    /met an exception in the script .* It said: level=error msg=oops$/,
  ],
  ['an unknown end', 'exit 3', /^k6 ended with exit code 3 after/],
  ['a kill', 'kill -9 $$', /^k6 was killed after \d+ s \(SIGKILL\), so nothing is judged; run the load again/],
  ['raw points that were cut off', `cat ${raw} | tail -n 9 | head -c 900`, /cannot be read to the end \(.*JSON/],
])('%s leaves no verdict', async (_, lines, expected) => {
  await expect(runWith(lines)).rejects.toThrow(expected)
})

test('a k6 that is missing leaves no verdict', async () => {
  const missing = { plan, requests, k6: join(folder, 'none'), url: '', token, folder: join(folder, 'missing') }
  await expect(runLoad(missing)).rejects.toThrow(/could not be run: spawn .* ENOENT; name another one in PLUMBLINE_K6/)
})

test.each(['queue', 'pods'])('plane %s has a script of its name', (plane) => {
  expect(existsSync(join(import.meta.dirname, 'scripts', `${plane}.ts`))).toBe(true)
})
