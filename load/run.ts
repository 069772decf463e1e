import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createWriteStream, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, type Gzip } from 'node:zlib'
import type { Network } from '../target/types.ts'
import { loadFolder } from './folder.ts'
import { keepRead } from './k6/lines.ts'
import { readRawPoints } from './k6/raw.ts'
import { type Fills, type LoadRequests, scriptPlan, timeLimitMs } from './k6/script-plan.ts'
import { LoadError } from './load-error.ts'
import type { Plan } from './plan/types.ts'
import { rawName } from './record.ts'

interface LoadRunOptions {
  readonly plan: Plan
  readonly requests: LoadRequests
  /** The path of a k6 (`findK6`). */
  readonly k6: string
  /** The base address of the plane. */
  readonly url: string
  /** The base address of the pod API, beside that of another plane. */
  readonly podsUrl?: string
  readonly token: string
  readonly secondToken?: string
  readonly network?: Network
  /** Removes secrets from texts of the target. */
  readonly clean?: (text: string) => string
  /** The ids of endpoints and jobs. */
  readonly fills?: Fills
  /** The User-Agent of each request. */
  readonly userAgent?: string
  /** A folder for the plan and the raw points of this run; it is made if it is missing. */
  readonly folder: string
  /** Told of the processes of k6 once they run. */
  readonly onStart?: (processes: readonly number[]) => void
  /** Processes of k6 that share the requests of a plan on endpoints; default: one. */
  readonly segments?: number
}

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly text: string
  readonly tookMs: number
}

/** The exit codes of k6 that make a run useless, with their meaning. */
const BROKEN_EXITS: Readonly<Record<number, string>> = {
  104: 'refused the script or its options',
  105: 'was interrupted',
  107: 'met an exception in the script',
  108: 'was aborted by the script',
  110: 'was failed by the script',
}
const THRESHOLDS_EXIT = 99
/** Requests of each segment. A plan that has fewer is sent by one process. */
const MIN_REQUESTS_OF_SEGMENT = 10

/**
 * Drives a plan with k6; resolves with its points and the remarks of k6, one sentence each. Its summary and exit code decide nothing: verdicts come from the raw points alone, and a run
 * that ended in any other way than by itself has none.
 * @throws LoadError if k6 cannot be started, is killed, runs over its time, or leaves no readable record.
 */
export async function runLoad(options: LoadRunOptions) {
  const { plan, requests, folder, token, secondToken = token, fills, clean = (text) => text } = options
  await mkdir(folder, { recursive: true })
  const planFile = join(folder, 'plan.json')
  const rawFile = join(folder, rawName)
  const segments = segmentsOf(options)
  const script = scriptPlan(plan, requests, fills)
  // One of several processes sends a part only, so the count of one says nothing.
  const counted = segments.length === 1 ? script : { ...script, planned: 0 }
  await writeFile(planFile, `${JSON.stringify(counted, null, 2)}\n`)

  // The processes of k6 write to one file, as they run: all that they write takes ten times as much of the disk.
  const raw = createGzip()
  const written = pipeline(raw, createWriteStream(rawFile))
  const started = segments.map((flags) => startK6(options, flags, planFile))
  options.onStart?.(started.flatMap(({ child }) => child.pid ?? []))
  // Headers and the body of a 429 are recorded of the pod API, and a target may repeat a key in them.
  const cleaned = plan.plane === 'pods' || plan.shape === 'mixed-smoke' ? clean : null
  const kept = started.map(({ child }) =>
    pipeline(child.stdout, (text) => keepRead(text, cleaned), raw, { end: false }),
  )
  const [all] = await Promise.all([Promise.all(started.map(({ ended }) => ended)), written, endAfter(kept, raw)])
  const said = lastErrors(all.map(({ text }) => text).join('\n'), [token, secondToken])
  for (const ended of all) refuseBroken(ended, said, timeLimitMs(plan))
  const { points, dropped } = await readRawPoints(rawFile)
  const notes = said === '' ? [] : [`k6 said: ${said}`]
  if (dropped > 0) notes.push(`k6 left out ${dropped} requests, for lack of virtual users or of processor time`)
  return { points, notes }
}

/** Variables of k6: proxies, the file of authorities, and the headers and certificate of its requests. */
function networkOf({ network, folder }: LoadRunOptions): Record<string, string> {
  const proxies = Object.entries(process.env).filter(([name]) => /^(https?|no)_proxy$/i.test(name)) as [
    string,
    string,
  ][]
  const ca = network?.ca == null ? null : join(folder, 'ca.pem')
  if (ca !== null) writeFileSync(ca, network?.ca ?? '')
  const { certificate, headers = {} } = network ?? {}
  return {
    ...Object.fromEntries(proxies),
    ...(ca === null ? {} : { SSL_CERT_FILE: ca }),
    PLUMBLINE_NETWORK: JSON.stringify({ headers, ...(certificate == null ? {} : { certificate }) }),
  }
}

/** More flags of each process of k6: if they share a plan, the segment of its requests. */
function segmentsOf({ plan, segments = 1 }: LoadRunOptions): readonly (readonly string[])[] {
  const largest = plan.plane === 'queue' ? Math.max(...plan.stretches.map(({ count }) => count)) : 0
  if (segments === 1 || largest < MIN_REQUESTS_OF_SEGMENT * segments) return [[]]
  const bounds = ['0', ...Array.from({ length: segments - 1 }, (_, n) => `${n + 1}/${segments}`), '1']
  const sequence = ['--execution-segment-sequence', bounds.join(',')]
  return bounds.slice(1).map((end, n) => ['--execution-segment', `${bounds[n]}:${end}`, ...sequence])
}

/** Ends a file once all is written to it. */
async function endAfter(kept: readonly Promise<void>[], raw: Gzip): Promise<void> {
  try {
    await Promise.all(kept)
  } finally {
    raw.end()
  }
}

function startK6(
  options: LoadRunOptions,
  flags: readonly string[],
  planFile: string,
): { readonly child: ChildProcessByStdio<null, Readable, Readable>; readonly ended: Promise<Ended> } {
  const { plan, k6, url, podsUrl, token, secondToken, userAgent } = options
  const args = ['run', '--quiet', '--no-color', '--no-usage-report', '--include-system-env-vars', '--out', 'json=-']
  const begunMs = performance.now()
  const child = spawn(k6, [...args, ...flags, join(loadFolder, 'scripts', `${plan.plane}.ts`)], {
    env: {
      HOME: options.folder,
      K6_AUTO_EXTENSION_RESOLUTION: 'false',
      K6_NO_USAGE_REPORT: 'true',
      PLUMBLINE_PLAN: planFile,
      PLUMBLINE_TOKEN: token,
      PLUMBLINE_URL: url,
      ...(secondToken !== undefined && { PLUMBLINE_SECOND_TOKEN: secondToken }),
      ...(podsUrl !== undefined && { PLUMBLINE_PODS_URL: podsUrl }),
      ...networkOf(options),
      ...(userAgent !== undefined && { K6_USER_AGENT: userAgent }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeLimitMs(plan),
    killSignal: 'SIGKILL',
  })
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-100_000)
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', (error) => {
      reject(new LoadError(`k6 at ${k6} could not be run: ${error.message}; name another one in PLUMBLINE_K6.`))
    })
    child.on('close', (code, killed) => resolve({ code, signal: killed, text, tookMs: performance.now() - begunMs }))
  })
  return { child, ended }
}

function refuseBroken({ code, signal, tookMs }: Ended, said: string, limitMs: number): void {
  if (code === 0 || code === THRESHOLDS_EXIT) return
  const seconds = Math.round(tookMs / 1000)
  const rest = said === '' ? '' : ` It said: ${said}`
  if (signal !== null) {
    const why = tookMs >= limitMs ? `ran longer than the ${Math.round(limitMs / 1000)} s that it needs at most` : signal
    throw new LoadError(`k6 was killed after ${seconds} s (${why}), so nothing is judged; run the load again.${rest}`)
  }
  const why = BROKEN_EXITS[code ?? -1] ?? `ended with exit code ${code}`
  throw new LoadError(`k6 ${why} after ${seconds} s, so nothing is judged.${rest}`)
}

/** The last errors and warnings of k6, without the tokens. */
function lastErrors(text: string, tokens: readonly string[]): string {
  const lines = text.split('\n').filter((line) => /level=(error|warning|fatal)|^panic|no space left/.test(line))
  const said = lines.slice(-2).join(' / ')
  return tokens.reduce((rest, token) => rest.replaceAll(token, '«token»'), said).slice(0, 500)
}
