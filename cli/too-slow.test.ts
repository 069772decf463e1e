import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createCommands } from './testing/commands.ts'

const answerMs = 2_000
const timeout = 180_000

test.each([
  ['drips a byte every 100 ms', 'drip'],
  ['responds just within the tolerance', 'late'],
] as const)('a target that works at first and then %s is named and given up', { timeout }, async (_, how) => {
  const { cwd, run, serve, close } = createCommands(`slow-${how}`)
  onTestFinished(close)
  const { target, url } = await serve([])
  const slow = await openSlow(url, how, 30)
  const text = readFileSync(join(cwd, target), 'utf8').replaceAll(url, slow)
  writeFileSync(join(cwd, 'slow.yaml'), `${text}\ntolerances: {answer: ${answerMs}ms}\n`)
  const startedMs = performance.now()
  const { code, said } = await run(['check', '--target', 'slow.yaml', '--only', 'pods.*', '--only', 'auth.pods.*'])
  const tookMs = performance.now() - startedMs
  expect(said).toMatch(new RegExp(`${slow} is too slow: \\d+ requests in a row took more than 2s`))
  expect(code).toBe(3)
  expect(tookMs).toBeLessThan(120_000)
})

/** A gateway that passes the first requests on and becomes slow after them. Returns its address. */
async function openSlow(base: string, how: 'drip' | 'late', quick: number): Promise<string> {
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
