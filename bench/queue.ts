import { createControlledClock, createReference, defaultKeys } from '../reference/index.ts'

// The cost of a submission, a status and a cancellation with few and with many waiting jobs, in process, and the cost
// of seven days of the clock in which each job ends at its own moment. Prints a line for each number of jobs.

const sizes = [1_000, 10_000, 100_000]
const sample = 2_000
const dayMs = 86_400_000
const unlimited = { requests: Number.MAX_SAFE_INTEGER, concurrent: null }
const submission = (n: number) =>
  JSON.stringify({ input: { n }, policy: { lowPriority: true, ttl: 7 * dayMs - 1000 * n } })

const microseconds = async (count: number, run: (n: number) => Promise<unknown>): Promise<number> => {
  const begin = performance.now()
  for (let n = 0; n < count; n++) await run(n)
  return ((performance.now() - begin) * 1000) / count
}

async function measure(size: number): Promise<string> {
  const { clock, advance } = createControlledClock(Date.UTC(2026, 0, 1))
  const { fetch } = createReference({
    clock,
    endpoints: [
      {
        id: 'idle',
        workersMin: 0,
        workersMax: 1,
        coldStartMs: 5000,
        idleTimeoutMs: 5000,
        rates: { run: unlimited, status: unlimited, cancel: unlimited },
      },
    ],
  })
  const headers = { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' }
  const ask = async (method: string, path: string, body: string | null = null) => {
    const response = await fetch(new Request(`https://queue.test/v2/idle/${path}`, { method, headers, body }))
    return (await response.json()) as { id: string; status: string }
  }
  const ids: string[] = []
  const submitting = async () => void ids.push((await ask('POST', 'run', submission(ids.length))).id)
  await microseconds(size - sample / 2, submitting)
  const submitted = await microseconds(sample / 2, submitting)
  const asked = await microseconds(sample, (n) => ask('GET', `status/${ids[(n * 7919) % size]}`))
  const cancelled = await microseconds(sample / 10, (n) => ask('POST', `cancel/${ids[(n * 104_729) % size]}`))
  const until = clock.now() + 7 * dayMs
  const begin = performance.now()
  let steps = 0
  do {
    advance(until - clock.now())
    steps++
  } while (clock.now() < until)
  const passedMs = performance.now() - begin
  const last = await fetch(new Request(`https://queue.test/v2/idle/status/${ids[size - 1]}`, { headers }))
  const megabytes = process.memoryUsage().heapUsed / 2 ** 20
  return [
    `${String(size).padStart(7)} jobs:`,
    `submit ${submitted.toFixed(0)} µs, status ${asked.toFixed(0)} µs, cancel ${cancelled.toFixed(0)} µs,`,
    `seven days ${passedMs.toFixed(0)} ms in ${steps} steps (then ${last.status}), heap ${megabytes.toFixed(0)} MB`,
  ].join(' ')
}

// The first one warms up.
await measure(1_000)
for (const size of sizes) console.log(await measure(size))
