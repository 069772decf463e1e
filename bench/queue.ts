import { type RateOperation, tables } from '../generated/tables.ts'
import { createRealClock, createReference, defaultKeys } from '../reference/index.ts'
import { median } from './measure.ts'

// The cost of each operation on queue-based endpoints in processor time, as a ratio to a read of /status, in short turns of
// both, so that a slower phase of the processor affects both. The reference runs in this process, without limits. A purge
// finds no job that waits, and /requests lists all jobs of the rounds before it.

const rounds = 12
const roundRequests = 400
/** Requests under way at once, and workers. */
const atOnce = 16

const clock = createRealClock()
const unlimited = Object.fromEntries(
  Object.keys(tables.rates).map((operation) => [operation as RateOperation, { requests: 1e12, concurrent: null }]),
)
const workers = { workersMin: atOnce, workersMax: atOnce, coldStartMs: 0, idleTimeoutMs: 1_000 }
const reference = createReference({ clock, endpoints: [{ id: 'bench', ...workers, rates: unlimited }] })

async function send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' }
  const url = `https://reference.test/v2/bench/${path}`
  const text = body === undefined ? null : JSON.stringify(body)
  const response = await reference.fetch(new Request(url, { method, headers, body: text }))
  const json = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${JSON.stringify(json)}`)
  return json as Record<string, unknown>
}

const submission = { input: { prompt: 'a cat' } }
const steps = (step: object) => ({ input: { plumbline: { v: 1, steps: [step] } } })
const { id: done } = await send('POST', 'runsync', submission)

/** A job that has failed. */
async function failed(): Promise<string> {
  const { id } = await send('POST', 'runsync', steps({ fail: 'bench' }))
  return String(id)
}

/** Jobs to retry, each once. */
const toRetry: string[] = []

const operations: Readonly<Record<string, () => Promise<unknown>>> = {
  '/run': () => send('POST', 'run', submission),
  '/runsync': () => send('POST', 'runsync', submission),
  '/stream': () => send('GET', `stream/${done}`),
  '/retry': () => send('POST', `retry/${toRetry.pop()}`),
  '/purge-queue': () => send('POST', 'purge-queue'),
  '/health': () => send('GET', 'health'),
  '/requests': () => send('GET', 'requests'),
  '/openai': () => send('POST', 'openai/v1/chat/completions', { model: 'bench', messages: [] }),
}
const status = () => send('GET', `status/${done}`)

/** Microseconds of this process for each request. */
async function cost(request: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  let sent = 0
  const one = async () => {
    while (sent++ < roundRequests) await request()
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / roundRequests
}

for (const [name, request] of Object.entries(operations)) {
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    while (name === '/retry' && toRetry.length < roundRequests) toRetry.push(await failed())
    const isFirst = round % 2 === 0
    const [first, second] = [await cost(isFirst ? request : status), await cost(isFirst ? status : request)]
    // The first rounds compare compilation.
    if (round > 1) ratios.push(isFirst ? first / second : second / first)
  }
  console.log(`${name}: ${median(ratios).toFixed(2)} times the cost of /status`)
}
reference.close()
clock.close()
