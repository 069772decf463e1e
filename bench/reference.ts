import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Pool } from 'undici'

// Compares the reference with a bare node:http server that uses the same validation. Both are driven over loopback at
// the same rate, in short turns A B B A, so that a slower phase of the processor affects both of a pair. Prints the
// cost of a request to each in processor time of the serving process, and the median ratio of the pairs, for a read and
// for a refused action.

interface Served {
  readonly child: ChildProcess
  readonly port: number
  readonly id: string
  readonly key: string
}

const rounds = 24
const roundRequests = 4_000
/** Before the first round, so that optimised code is compared, not compilation. */
const warmUpRequests = 60_000
/**
 * So many that the client limits both servers and never sleeps. A client that sleeps must be woken by the server that
 * writes to it, and the slower server would pay for that more often.
 */
const connections = 32

async function start(kind: string): Promise<Served> {
  const child = fork(new URL('./server.ts', import.meta.url), [kind])
  const [told] = await once(child, 'message')
  return { child, ...told }
}

async function cpu({ child }: Served): Promise<number> {
  child.send('cpu')
  const [told] = await once(child, 'message')
  return told.cpu
}

/** Microseconds of the serving process for each request. */
async function cost(served: Served, operation: 'read' | 'action', requests: number): Promise<number> {
  const { port, id, key } = served
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const request = async () => {
    const { body } =
      operation === 'read'
        ? await pool.request({ method: 'GET', path: `/v2/pods/${id}`, headers })
        : await pool.request({ method: 'POST', path: `/v2/pods/${id}/action`, headers, body: '{"action":"start"}' })
    await body.dump()
  }
  const before = await cpu(served)
  let sent = 0
  const connection = async () => {
    while (sent < requests) {
      sent++
      await request()
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const spent = (await cpu(served)) - before
  await pool.close()
  return spent / requests
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const reference = await start('reference')
const bare = await start('bare')
for (const operation of ['read', 'action'] as const) {
  const seen: Record<'reference' | 'bare', number[]> = { reference: [], bare: [] }
  await cost(reference, operation, warmUpRequests)
  await cost(bare, operation, warmUpRequests)
  for (let round = 0; round < rounds; round++) {
    const pair = { reference, bare }
    for (const kind of round % 2 === 0 ? (['reference', 'bare'] as const) : (['bare', 'reference'] as const)) {
      seen[kind].push(await cost(pair[kind], operation, roundRequests))
    }
  }
  const ratios = seen.reference.map((ours, round) => (seen.bare[round] ?? 0) / ours)
  console.log(
    `${operation}: reference ${median(seen.reference).toFixed(0)} µs a request, bare node:http ${median(seen.bare).toFixed(0)} µs, ratio ${median(ratios).toFixed(2)}`,
  )
}
for (const { child } of [reference, bare]) child.disconnect()
