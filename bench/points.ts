import { fork } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { analyse } from '../load/analyse/analyse.ts'
import { readRawPoints } from '../load/k6/raw.ts'
import { queuePlan } from '../load/plan/queue-plan.ts'

// How long the points of one large plan take to read and to judge, and the most memory that this takes: a rate exceeded by
// half, with responses that overtake each other, as k6 writes it. In a process of its own, because only that has a peak.
// `node bench/points.ts 1000000` takes another number of points than ten million.

const [what = '10000000', file = ''] = process.argv.slice(2)
const windows = 4
const overShare = 1.5
const spacingMs = (windows * 10_000) / (what === 'judge' ? 1 : Number(what))

if (what === 'judge') await judge()
else await measure(Number(what))

async function measure(count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-points-'))
  const path = join(folder, 'raw.json.gz')
  try {
    await pipeline(Readable.from(linesOf(count)), createGzip({ level: 1 }), createWriteStream(path))
    process.stdout.write(`${count.toLocaleString('en')} points in ${Math.round(statSync(path).size / 1e6)} MB\n`)
    const child = fork(import.meta.filename, ['judge', path])
    await new Promise((resolve) => child.on('exit', resolve))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function judge(): Promise<void> {
  const begunMs = performance.now()
  const { points } = await readRawPoints(file)
  const readMs = performance.now()
  const requests = Math.round(points.length / windows / overShare)
  const plan = queuePlan({
    operation: 'requests',
    shape: 'over',
    workersAllow: requests,
    workers: { running: 0, requestsPerWindow: 0 },
  })
  const verdicts = analyse(points, plan)
  const [readS, judgedS] = [readMs - begunMs, performance.now() - readMs].map((ms) => (ms / 1000).toFixed(1))
  const { maxRSS, userCPUTime } = process.resourceUsage()
  for (const { verdict, rule, sentence } of verdicts) process.stdout.write(`${verdict} ${rule}: ${sentence}\n`)
  process.stdout.write(
    `read in ${readS} s, judged in ${judgedS} s, ${(userCPUTime / 1e6).toFixed(1)} s of processor time, ${Math.round(maxRSS / 1000)} MB at most\n`,
  )
}

/** A third of the requests is refused, evenly; each takes between 1 and 101 ms. */
function* linesOf(count: number): Generator<string> {
  const beganMs = Date.UTC(2026, 0, 2)
  let text = ''
  for (let n = 0; n < count; n++) {
    const value = 1 + ((n * 7919) % 100_003) / 1000
    const ended = beganMs + n * spacingMs + value
    const time = `${new Date(ended).toISOString().slice(0, 23)}${String(n % 1_000_000).padStart(6, '0')}Z`
    const tags = `{"endpoint":"first","operation":"requests","scenario":"requests_0","status":"${n % 3 === 2 ? 429 : 200}"}`
    text += `{"metric":"http_req_duration","type":"Point","data":{"time":"${time}","value":${value},"tags":${tags}}}\n`
    if (text.length < 60_000) continue
    yield text
    text = ''
  }
  yield text
}
