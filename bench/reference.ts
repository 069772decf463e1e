import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Pool } from 'undici'

// The reference beside a bare node:http server with the same validation, both over loopback, at the rate that one client reaches,
// in short turns A B B A, so that a processor that is slower for a while is so for both of a pair. Prints what a request
// costs each of them, in processor time of the serving process, and the median of the ratios of the pairs: what one core
// can serve, for a read and for a refused action.

interface Served {
  readonly child: ChildProcess
  readonly port: number
  readonly id: string
  readonly key: string
}

const rounds = 24
const roundRequests = 4_000
/** Before the first round, so that what is compared is optimised code and not how fast each is compiled. */
const warmUpRequests = 60_000
/**
 * So many that the client is what holds both servers up: it never sleeps then. A client that does has to be woken by
 * the server that writes to it, more often by the slower one, which would count each microsecond of it twice.
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
