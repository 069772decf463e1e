import { createServer, request } from 'node:http'
import { listening } from '../../../harness/testing/listening.ts'

/** The tolerance `answer` of its target, ms. */
export const answerMs = 1_000

/** A gateway that passes the first requests on and becomes slow after them. Returns its address. */
export async function openSlow(base: string, how: 'drip' | 'late', quick: number): Promise<string> {
  let count = 0
  const server = createServer((incoming, outgoing) => {
    const isSlow = ++count > quick
    if (isSlow && how === 'drip') {
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      setInterval(() => outgoing.write(' '), 100).unref()
      return
    }
    const { method, headers, url = '' } = incoming
    const passed = request(base + url, { method, headers }, (response) => {
      const answer = () => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
      }
      setTimeout(answer, isSlow ? 0.95 * answerMs : 0)
    })
    incoming.pipe(passed)
  })
  return listening(server)
}
