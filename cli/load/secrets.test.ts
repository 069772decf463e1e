import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listening } from '../../harness/testing/listening.ts'
import { createCommands } from '../shared/testing/commands.ts'

const { cwd, start, close } = createCommands('load-secrets')
const key = 'the-key-of-somebody-0815'

beforeAll(async () => {
  const url = await listening(echoing())
  writeFileSync(
    join(cwd, 't.yaml'),
    `plumbline: 1\nqueue: {url: '${url}', endpoints: {normal: a, dedicated: b}}\nkeys: {full: '\${API_KEY}'}\n`,
  )
  const k6 = '#!/bin/sh\n[ "$1" = version ] && echo "k6 v2.1.0 (go1.26)"\n'
  writeFileSync(join(cwd, 'k6'), k6, { mode: 0o755 })
})

afterAll(close)

test('a key that a target echoes is neither printed by a load nor in its record', { timeout: 120_000 }, async () => {
  const words = ['load', 'limits', '--target', 't.yaml', '--only', 'limits.queue.cancel', '--out', 'out']
  const { code, said } = await start(words, { API_KEY: key, PLUMBLINE_K6: join(cwd, 'k6') }).ended
  const mark = 'no job for Bearer «key.full»'
  expect({ code, said }).toEqual({ code: 3, said: expect.stringContaining(mark) })
  const names = readdirSync(join(cwd, 'out'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const written = names.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')] as const)
  for (const name of ['evidence.ndjson', 'results.json', 'report.html', 'junit.xml']) {
    expect(Object.fromEntries(written)[name]).toContain(mark)
  }
  for (const text of [said, ...written.map(([, text]) => text)]) expect(text).not.toContain(key)
})

/** An endpoint that takes no job, and says whose it would have been. */
function echoing(): Server {
  return createServer((request, response) => {
    request.resume()
    const isRun = request.url?.endsWith('/run') === true
    const body = isRun ? { error: `no job for ${request.headers.authorization}` } : { workers: { ready: 1 } }
    response.writeHead(isRun ? 403 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
}
