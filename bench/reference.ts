import { once } from 'node:events'
import { Pool } from 'undici'
import { median, type Served, startServer } from './measure.ts'

// Compares the reference with a bare node:http server that uses the same validation. Both are driven over loopback at
// the same rate, in short turns A B B A, so that a slower phase of the processor affects both of a pair. Prints the
// cost of a request to each in processor time of the serving process, and the median ratio of the pairs, for a read and
// for a refused action.

const rounds = 24
const roundRequests = 4_000
/** Before the first round, so that optimised code is compared, not compilation. */
const warmUpRequests = 60_000
/**
 * So many that the client limits both servers and never sleeps. A client that sleeps must be woken by the server that
 * writes to it, and the slower server would pay for that more often.
 */
const connections = 32

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
  const request =
    operation === 'read'
      ? ({ method: 'GET', path: `/v2/pods/${id}`, headers } as const)
      : ({ method: 'POST', path: `/v2/pods/${id}/action`, headers, body: '{"action":"start"}' } as const)
  const before = await cpu(served)
  let sent = 0
  const connection = async () => {
    while (sent++ < requests) await (await pool.request(request)).body.dump()
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const spent = (await cpu(served)) - before
  await pool.close()
  return spent / requests
}

const servers = { reference: await startServer('reference'), bare: await startServer('bare') }
for (const operation of ['read', 'action'] as const) {
  const seen: Record<'reference' | 'bare', number[]> = { reference: [], bare: [] }
  for (const served of Object.values(servers)) await cost(served, operation, warmUpRequests)
  for (let round = 0; round < rounds; round++) {
    const pair = ['reference', 'bare'] as const
    for (const kind of round % 2 === 0 ? pair : pair.toReversed()) {
      seen[kind].push(await cost(servers[kind], operation, roundRequests))
    }
  }
  const ratios = seen.reference.map((ours, round) => (seen.bare[round] ?? 0) / ours)
  console.log(
    `${operation}: reference ${median(seen.reference).toFixed(0)} µs a request, bare node:http ${median(seen.bare).toFixed(0)} µs, ratio ${median(ratios).toFixed(2)}`,
  )
}
for (const { child } of Object.values(servers)) child.disconnect()
