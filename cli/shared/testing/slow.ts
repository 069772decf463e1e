import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'vitest'

/** The tolerance `answer` of its target, ms. */
export const answerMs = 1_000

/** A gateway that passes the first requests on and becomes slow after them. Returns its address. */
export async function openSlow(
  base: string,
  how: 'drip' | 'late',
  quick: number,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
): Promise<string> {
  let count = 0
  const timers = new Set<NodeJS.Timeout>()
  const server = createServer((incoming, outgoing) => {
    const isSlow = ++count > quick
    if (isSlow && how === 'drip') {
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      timers.add(setInterval(() => outgoing.write(' '), 100))
      return
    }
    const { method, headers, url = '' } = incoming
    const passed = request(base + url, { method, headers }, (response) => {
      const answer = () => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
      }
      timers.add(setTimeout(answer, isSlow ? 0.95 * answerMs : 0))
    })
    incoming.pipe(passed)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    for (const timer of timers) clearTimeout(timer)
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
