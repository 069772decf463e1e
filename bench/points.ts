import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { analyse } from '../load/analyse/analyse.ts'
import { keepRead } from '../load/k6/lines.ts'
import { readMachines } from '../load/machines.ts'
import { queuePlan } from '../load/plan/queue-plan.ts'

// How long the points of one large plan take to keep while k6 writes them, then to read and to judge, and the most memory
// that this takes: a rate exceeded by half, with responses that overtake each other, in the 14 lines that k6 writes for each
// request. Each part in a process of its own, because only that has a peak.
// `node bench/points.ts 1000000` takes another number of points than ten million, `node bench/points.ts 10000000 2` those of
// two machines.

const [what = '10000000', ...more] = process.argv.slice(2)
const windows = 4
const overShare = 1.5

if (what === 'keep') await keep()
else if (what === 'judge') await judge()
else await measure(Number(what), Number(more[0] ?? 1))

async function measure(count: number, machines: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-points-'))
  const paths = Array.from({ length: machines }, (_, machine) => join(folder, `raw-${machine}.json.gz`))
  try {
    for (const [machine, path] of paths.entries()) {
      const keeper = part('keep', path)
      await pipeline(Readable.from(linesOf(count, machine, machines)), keeper.stdin as Writable)
      await once(keeper, 'exit')
    }
    const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0)
    process.stdout.write(`${count.toLocaleString('en')} points in ${Math.round(bytes / 1e6)} MB\n`)
    await once(part('judge', ...paths), 'exit')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function part(name: string, ...paths: string[]): ChildProcess {
  return fork(import.meta.filename, [name, ...paths], { stdio: ['pipe', 'inherit', 'inherit', 'ipc'] })
}

async function keep(): Promise<void> {
  await pipeline(process.stdin, (text) => keepRead(text), createGzip(), createWriteStream(more[0] ?? ''))
  report('kept')
}

async function judge(): Promise<void> {
  const begunMs = performance.now()
  const { points } = await readMachines(more)
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
  for (const { verdict, rule, sentence } of verdicts) process.stdout.write(`${verdict} ${rule}: ${sentence}\n`)
  report(`read in ${readS} s, judged in ${judgedS} s`)
}

function report(text: string): void {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  const seconds = ((userCPUTime + systemCPUTime) / 1e6).toFixed(1)
  process.stdout.write(`${text}: ${seconds} s of processor time, ${Math.round(maxRSS / 1000)} MB at most\n`)
  process.disconnect()
}

/** The part of one machine. A third of the requests is refused, evenly; each takes between 1 and 101 ms. */
function* linesOf(count: number, machine: number, machines: number): Generator<string> {
  const beganMs = Date.UTC(2026, 0, 2)
  const spacingMs = (windows * 10_000) / count
  let text = ''
  for (let n = machine; n < count; n += machines) {
    const value = Number((1 + ((n * 79_190_033) % 100_000_003) / 1e6).toFixed(6))
    const ended = beganMs + n * spacingMs + value
    const time = `${new Date(ended).toISOString().slice(0, 23)}${String((n * 104_729) % 1_000_000).padStart(6, '0')}Z`
    text += linesOfRequest(time, value, n % 3 === 2)
    if (text.length < 60_000) continue
    yield text
    text = ''
  }
  yield text
}

function linesOfRequest(time: string, value: number, isRefused: boolean): string {
  const outcome = isRefused ? '"error_code":"1429",' : ''
  const own = '"scenario":"requests_0"'
  const tags = `"endpoint":"first",${outcome}"operation":"requests",${own},"status":"${isRefused ? 429 : 200}"`
  const line = (metric: string, of: number, its: string) =>
    `{"metric":"${metric}","type":"Point","data":{"time":"${time}","value":${of},"tags":{${its}}}}\n`
  return [
    line('http_reqs', 1, tags),
    line('http_req_duration', value, tags),
    ...['blocked', 'connecting', 'tls_handshaking', 'sending', 'waiting', 'receiving', 'failed'].map((name) =>
      line(`http_req_${name}`, value, tags),
    ),
    line('plumbline_sent', 1, own),
    ...['data_sent', 'data_received', 'iteration_duration', 'iterations'].map((name) => line(name, value, own)),
  ].join('')
}
