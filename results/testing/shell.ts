import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClockEvent, ExchangeEvent, HookEvent } from '../../harness/record/events.ts'
import { listening } from '../../harness/testing/listening.ts'
import { buildResults } from '../build.ts'
import { eventsOf, sampleFinding, sampleRow, sampleRun, sampleTarget, sampleVerdict } from './sample.ts'

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['rawHeaders']
  readonly body: Buffer
}

interface Sent {
  readonly status: number
  readonly body?: unknown
}

type Answer = (request: Received) => Sent | Promise<Sent>

const folder = mkdtempSync(join(tmpdir(), 'curl-'))
/** The rule that fails, unless another is named. */
export const rule = 'pods.a.b'

/** The shell lines of a failed rule, of a record with these events. */
export async function linesOf(
  base: string,
  events: readonly (ExchangeEvent | ClockEvent | HookEvent)[],
  clock: 'real' | 'remote' | 'virtual' = 'real',
  observed = 'status 200',
  of = rule,
  variables: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const target = sampleTarget({ pods: { url: base, paths: {} }, clock: { url: `${base}/clock` }, variables })
  const last = events.findLast((event) => event.type === 'exchange')
  const results = await buildResults(
    eventsOf([
      sampleRun([of], { target, clock }),
      ...events,
      sampleFinding(of, last?.n ?? null, { observed }),
      sampleVerdict(of, 'failed'),
    ]),
    { ledger: [sampleRow(of)] },
  )
  return results.rules[0]?.curl ?? []
}

/** A server that answers so, and the requests that reach it. */
export async function serve(answer: Answer): Promise<{ base: string; log: Received[] }> {
  const log: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.rawHeaders,
      body: Buffer.concat(chunks),
    }
    log.push(received)
    const { status, body } = await answer(received)
    response
      .writeHead(status, { 'Content-Type': 'application/json' })
      .end(body === undefined ? '' : JSON.stringify(body))
  })
  return { base: await listening(server), log }
}

/** Runs the lines as they would be pasted; sleep is left out, for nothing moves by itself here. */
export function bash(
  lines: readonly string[],
  keys: Record<string, string> = { KEY_FULL: 'secret-1' },
): Promise<string> {
  const script = ['sleep() { :; }', ...lines].join('\n')
  const env = { PATH: process.env.PATH ?? '', ...keys }
  return new Promise((resolve, reject) => {
    execFile('bash', ['--norc', '--noprofile', '-c', script], { env, cwd: folder }, (error, stdout, stderr) => {
      if (stderr !== '') reject(new Error(stderr))
      else if (error !== null && error.code !== 2) reject(error)
      else resolve(stdout)
    })
  })
}

/** The value of a header as it was sent. */
export function header(request: Received | undefined, name: string): string | undefined {
  const at =
    request?.headers.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === name.toLowerCase()) ?? -1
  return at === -1 ? undefined : request?.headers[at + 1]
}
