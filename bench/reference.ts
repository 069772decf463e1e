import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { Pool } from 'undici'

// The reference beside a bare node:http server with the same validation, both over loopback, at the same rate of requests,
// in turns A B A B. Prints what a request costs each of them, in processor time of the serving process (which another load
// on the machine changes little), and the ratio of what one core can serve, for a read and for a refused action.

interface Served {
  readonly child: ChildProcess
  readonly port: number
  readonly id: string
  readonly key: string
}

const rounds = 6
const roundMs = 1_500
/**
 * The same for both: a server that is given as much as it can serve wakes its client more often the slower it is, and
 * pays for that in the kernel, so that each microsecond of its own counts twice.
 */
const requestsPerSecond = 5_000
const tickMs = 2
/** Before the first round, so that what is compared is optimised code and not how fast each is compiled. */
const warmUpMs = 3_000

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
async function cost(served: Served, operation: 'read' | 'action', ms: number): Promise<number> {
  const { port, id, key } = served
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 16, pipelining: 1 })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const request = async () => {
    const { body } =
      operation === 'read'
        ? await pool.request({ method: 'GET', path: `/v2/pods/${id}`, headers })
        : await pool.request({ method: 'POST', path: `/v2/pods/${id}/action`, headers, body: '{"action":"start"}' })
    await body.dump()
  }
  const before = await cpu(served)
  const begin = performance.now()
  const open: Promise<void>[] = []
  for (let passed = 0; passed < ms; passed = performance.now() - begin) {
    while (open.length < (passed / 1000) * requestsPerSecond) open.push(request())
    await setTimeout(tickMs)
  }
  await Promise.all(open)
  const spent = (await cpu(served)) - before
  await pool.close()
  return spent / open.length
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0

const reference = await start('reference')
const bare = await start('bare')
for (const operation of ['read', 'action'] as const) {
  const seen: Record<'reference' | 'bare', number[]> = { reference: [], bare: [] }
  await cost(reference, operation, warmUpMs)
  await cost(bare, operation, warmUpMs)
  for (let round = 0; round < rounds; round++) {
    seen.reference.push(await cost(reference, operation, roundMs))
    seen.bare.push(await cost(bare, operation, roundMs))
  }
  const [ours, theirs] = [median(seen.reference), median(seen.bare)]
  console.log(
    `${operation}: reference ${ours.toFixed(0)} µs a request, bare node:http ${theirs.toFixed(0)} µs, ratio ${(theirs / ours).toFixed(2)}`,
  )
}
for (const { child } of [reference, bare]) child.disconnect()
