import { Pool } from 'undici'
import { fuzzTarget, type OpenTarget, openTarget } from '../cli/fuzz/fuzzing.ts'
import type { WireRequest } from '../harness/exchange/exchange.ts'
import { referenceTarget } from '../proof/instance.ts'
import { median, startServer } from './measure.ts'

// Fuzzing cases per second over one connection, and the rate of bare undici with the same requests, in turns A B A B. A
// separate process serves the reference. Prints both rates and their ratio.

const rounds = 5
const casesEach = 4_000

const { child, port } = await startServer('reference')
const url = `http://127.0.0.1:${port}`

async function ours(seed: number): Promise<{ readonly rate: number; readonly sent: readonly WireRequest[] }> {
  const sent: WireRequest[] = []
  const open = await openTarget(referenceTarget(url, 'real'))
  // Removals are answered here, so that the pods stay and the same requests can be sent again.
  const kept: OpenTarget = {
    ...open,
    transport: async (request, ...rest) => {
      if (request.method === 'DELETE') return { status: 204, headers: [], body: new Uint8Array() }
      sent.push(request)
      return open.transport(request, ...rest)
    },
  }
  let begin = performance.now()
  let end = begin
  let warm = 0
  const { cases, findings } = await fuzzTarget({
    open: kept,
    seed,
    maxPodless: 0,
    branch: { run: `rbench${String(seed).padStart(5, '0')}`, resources() {} },
    goesOn: (done) => {
      // Enumerated cases come first, and make the pods.
      if (done === 2_000 && warm === 0) {
        warm = done
        begin = performance.now()
        sent.length = 0
      }
      if (done < warm + casesEach) return true
      end = performance.now()
      return false
    },
  })
  if (findings.length > 0) throw new Error(`the reference is not clean: ${JSON.stringify(findings)}`)
  const rate = (cases - warm) / ((end - begin) / 1000)
  await open.close()
  return { rate, sent }
}

/** The same requests over one connection, with as many under way: each is written as soon as a response has come. */
async function bare(sent: readonly WireRequest[]): Promise<number> {
  const pool = new Pool(url, { connections: 1, pipelining: 1 })
  const left = sent.values()
  const begin = performance.now()
  const loop = async () => {
    for (const { method, url: address, headers, body } of left) {
      const response = await pool.request({
        method: method as 'POST',
        path: address.slice(url.length),
        headers: headers.flat(),
        body,
      })
      await response.body.arrayBuffer()
    }
  }
  await Promise.all([loop(), loop()])
  const rate = sent.length / ((performance.now() - begin) / 1000)
  await pool.close()
  return rate
}

const seen = { ours: [] as number[], bare: [] as number[] }
for (let round = 0; round < rounds; round++) {
  const { rate, sent } = await ours(round + 1)
  seen.ours.push(rate)
  seen.bare.push(await bare(sent))
}
child.disconnect()
const [cases, requests] = [median(seen.ours), median(seen.bare)]
console.log(
  `fuzz ${cases.toFixed(0)} cases/s, bare undici ${requests.toFixed(0)} requests/s, one connection each, ratio ${(cases / requests).toFixed(2)}`,
)
