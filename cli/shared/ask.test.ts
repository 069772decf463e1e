import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listening } from '../../harness/testing/listening.ts'
import { parseTarget } from '../../target-file/load.ts'
import { refusalBefore } from './ask.ts'
import { runHere } from './testing/in-process.ts'

// The closed port stands for an endpoint without a worker: on a controlled clock nobody would let one start.
test.each([
  ['', { exit: 5 }],
  ['clock: {url: "http://127.0.0.1:1/clock"}\n', null],
])('a plane whose response may need time is asked in real time alone, with "%s"', async (clock, refusal) => {
  const text = `plumbline: 1\nlb: {endpoints: {normal: "http://127.0.0.1:1"}}\nkeys: {full: plumbline-example-full}\n${clock}`
  const target = parseTarget(text, { file: 'target.yaml', environment: {} })
  const found = await refusalBefore(
    target,
    () => true,
    'plan',
    () => {},
  )
  expect(found && { exit: found.exit }).toEqual(refusal)
})

const pods = (url: string) => `pods: ${url}`
const queue = (url: string) => `queue: {url: "${url}", endpoints: {normal: e-1}}`

test.concurrent.for<[words: string, section: (url: string) => string, requests: readonly string[], code: number]>([
  // The first is for the plan.
  ['check', pods, ['GET /v2/pods', 'GET /v2/pods'], 5],
  ['plan', pods, ['GET /v2/pods', 'GET /v2/pods'], 0],
  ['fuzz', pods, ['GET /v2/pods'], 5],
  ['check --only queue.run.accepted', queue, ['GET /v2/e-1/health', 'GET /v2/e-1/health'], 5],
])(
  '%s says that a target is silent, and sends no request again',
  { timeout: 60_000 },
  async ([words, section, expected, code], { expect }) => {
    const cwd = mkdtempSync(join(tmpdir(), 'plumbline-silent-'))
    const requests: string[] = []
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (data) => requests.push(data.toString().split(' HTTP')[0] ?? ''))
    })
    const url = await listening(server)
    const text = `plumbline: 1\n${section(url)}\nkeys: {full: plumbline-example-full}\ntolerances: {answer: 2s}\n`
    writeFileSync(join(cwd, 'plumbline.yaml'), text)
    const seen = await runHere(words.split(' '), { cwd })
    expect(seen.err).toContain(`waiting for a response from ${url}; a request may take 2s\n`)
    const [request = ''] = expected
    expect(seen.out + seen.err).toContain(`${request.replace(' ', ` ${url}`)} had no complete response within 2000 ms`)
    expect(requests.filter((one) => !one.endsWith('/plumbline/clock'))).toEqual(expected)
    expect(seen.code).toBe(code)
  },
)

test.each(['fuzz --runs 1', 'doctor --fix', 'init --pods URL --target new.yaml'])(
  '%s ends with 5 in an outage',
  async (words) => {
    const cwd = mkdtempSync(join(tmpdir(), 'plumbline-outage-'))
    const server = createHttpServer((_, response) => response.writeHead(503).end())
    const url = await listening(server)
    writeFileSync(join(cwd, 'plumbline.yaml'), `plumbline: 1\npods: ${url}\nkeys: {full: plumbline-example-full}\n`)
    const environment = { API_KEY: 'plumbline-example-full' }
    const seen = await runHere(words.replace('URL', url).split(' '), { cwd, environment })
    expect(seen).toMatchObject({
      code: 5,
      err: expect.stringContaining('answers 503 to every request, as in an outage'),
    })
    server.close()
  },
)
