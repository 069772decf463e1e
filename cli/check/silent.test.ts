import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createPort } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listening } from '../../harness/testing/listening.ts'
import { createCommands } from '../shared/testing/commands.ts'
import { openGateway } from '../shared/testing/gateway.ts'

const key = 'plumbline-example-full'

test('a target that accepts and never responds is reported in seconds, with the rules that it takes along', async () => {
  const { cwd, run, close } = createCommands('silent')
  onTestFinished(close)
  const server = createPort((socket) => void socket.on('error', () => {}))
  const url = await listening(server)
  writeFileSync(join(cwd, 'silent.yaml'), `plumbline: 1\npods: ${url}\nkeys: {full: ${key}}\n`)
  const startedMs = performance.now()
  const { code, said } = await run(['check', '--target', 'silent.yaml', '--only', 'auth.pods.*'])
  expect(performance.now() - startedMs).toBeLessThan(90_000)
  expect(code).toBe(5)
  expect(said).toContain(`waiting for a response from ${url}; a request may take 10s\n`)
  expect(said).toMatch(/^\d+ unverified\n/)
  expect(said.split(`GET ${url}/v2/pods had no complete response within 10000 ms`)).toHaveLength(2)
})

test('a redirect shows where to, without its query, and is not followed', async () => {
  const { cwd, run, serve, close } = createCommands('redirect')
  onTestFinished(close)
  const asked: string[] = []
  const other = await listening(
    createServer((request, response) => {
      asked.push(`${request.method} ${request.headers.authorization}`)
      response.end()
    }),
  )
  const { url } = await serve([])
  const gateway = await openGateway(url, ({ token, text }) =>
    token === '' ? { status: 307, text: '', headers: { Location: `${other}/login?token=${key}` } } : { text },
  )
  writeFileSync(join(cwd, 'redirect.yaml'), `plumbline: 1\npods: ${gateway}\nkeys: {full: ${key}}\n`)
  const { code, said } = await run(['check', '--target', 'redirect.yaml', '--only', 'auth.pods.missing'])
  expect(code).toBe(1)
  expect(said).toContain(`observed  status 307, a redirect to ${other}/login\n`)
  expect(said).not.toContain('token=')
  expect(asked).toEqual([])
})
