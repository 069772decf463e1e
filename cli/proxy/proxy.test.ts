import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { listening } from '../../harness/testing/listening.ts'
import {
  createClient,
  firstRunning,
  journey,
  journeyPods,
  type Send,
  untilKnown,
} from '../../traffic/testing/client.ts'
import { createCommands, until } from '../shared/testing/commands.ts'
import type { Shown } from './page.ts'

const commands = createCommands('proxy')
afterAll(commands.close)

const state = join(commands.cwd, 'state.yaml')
writeFileSync(state, stringify({ pods: journeyPods.map(({ body, status }) => ({ ...body, status })) }))

const faults = [
  ['refusal-without-challenge', 'auth.challenge'],
  ['not-found-without-body', 'errors.problem.shape'],
  ['limits-pods-headers-on-success-ratelimit-policy-dropped', 'limits.pods.headers-on-success'],
  ['action-answers-another-id', 'pods.shape.id-matches'],
  ['output-vanishes', 'queue.status.order'],
] as const

/** A proxy in front of a target. */
async function proxyTo(flags: readonly string[]) {
  const { child, ended, said } = commands.start(['proxy', '--port', '0', ...flags])
  await until(() => said().includes('forwards to'))
  const end = () => {
    child.kill('SIGTERM')
    return ended
  }
  return { url: /(\S+) forwards to/.exec(said())?.[1] ?? '', end }
}

/** A served reference with a proxy in front of it. */
async function proxied(serving: readonly string[], ...flags: readonly string[]) {
  const { target } = await commands.serve(['--state', state, ...serving])
  const { url, end } = await proxyTo(['--target', target, ...flags])
  return { target, url, end, send: createClient(url, fetch).send }
}

test('ten faults of a client and a server are ten findings, which the page shows as they come', async () => {
  const defects = faults.flatMap(([id]) => ['--defect', id])
  const { url, send, end } = await proxied([...defects, '--quotas', 'minute=25'], '--out', 'found')
  await journey(send)
  await wrong(send)
  const { findings, exchanges } = (await (await fetch(`${url}/plumbline/findings.json`)).json()) as Shown
  const server = findings.filter(({ at }) => at === 'server').map(({ rule }) => rule)
  const client = findings.filter(({ at }) => at === 'client').map(({ rule }) => rule)
  expect(server.sort()).toEqual(faults.map(([, rule]) => rule))
  expect(client.sort()).toEqual([
    'client.action',
    'client.body',
    'client.retry-after',
    'client.token',
    'client.token-refused',
  ])
  expect(await (await fetch(`${url}/plumbline/findings`)).text()).toContain(`10 findings in ${exchanges} exchanges`)
  const { code, said } = await end()
  expect(said).toMatch(
    /client: client\.action \(permitted\): expected restart, stop, terminate while RUNNING; observed start \(exchange \d+, POST /,
  )
  expect(said).not.toMatch(/AGENT|your log|your target file/)
  expect(said.match(/rerun this rule: .*/g)?.every((line) => line.endsWith('replay found'))).toBe(true)
  expect(said).toMatch(/^failures: \d+ must rules failed; \d+ of \d+ rules exercised in \d+ exchanges \(exit 1\)$/m)
  expect(code).toBe(1)
  expect(readFileSync(join(commands.cwd, 'found', 'evidence.ndjson'), 'utf8')).not.toMatch(
    /never-issued|plumbline-example/,
  )
  expect(await commands.run(['replay', 'found'])).toMatchObject({
    code: 1,
    said: expect.stringContaining('matches the record'),
  })
}, 60_000)

/** Five faults of a client. */
async function wrong(send: Send): Promise<void> {
  const id = await firstRunning(send)
  await untilKnown()
  await send('POST', `/v2/pods/${id}/action`, { body: { action: 'start' } })
  await send('POST', '/v2/normal/run', { body: { input: 'no object' } })
  await send('GET', '/v2/pods', { token: null })
  await send('GET', '/v2/pods', { token: 'never-issued-token' })
  await until(async () => (await send('GET', '/v2/pods')).status === 429)
  await untilKnown()
  await send('GET', '/v2/pods')
}

test('a right client of the reference has no finding, and its HAR is judged as well', async () => {
  const { target, send, end } = await proxied([], '--har', 'traffic.har')
  await journey(send)
  const { code, said } = await end()
  expect(said).not.toContain('expected')
  expect(said).toMatch(/exercised, with the number of exchanges: .*client\.token 13, client\.body 4, client\.action 1/)
  expect(code).toBe(0)
  const again = await commands.run(['judge', 'traffic.har', '--target', target])
  expect(again).toMatchObject({ code: 0, said: expect.stringContaining('13 exchanges judged') })
  expect(readFileSync(join(commands.cwd, 'traffic.har'), 'utf8')).not.toMatch(
    /never-issued|plumbline-example|of-a-browser/,
  )
}, 60_000)

test('a response reaches the client as it is sent, unchanged but for headers of the connection', async () => {
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>()
  const target = createServer((_, response) => {
    response.writeHead(207, { 'X-Own': 'kept', Connection: 'close, X-Hop', 'X-Hop': 'dropped' }).write('first')
    void isRead.then(() => response.end(' last'))
  })
  const { url, end } = await proxyTo(['--lb', await listening(target)])
  const { status, headers, body } = await fetch(`${url}/any/route`, { headers: { authorization: 'Bearer some-token' } })
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  expect([status, headers.get('x-own'), headers.get('x-hop'), (await reader?.read())?.value]).toEqual([
    207,
    'kept',
    null,
    'first',
  ])
  read()
  expect((await reader?.read())?.value).toBe(' last')
  target.close()
  await once(target, 'close')
  expect((await fetch(url, { headers: { authorization: 'Bearer some-token' } })).status).toBe(502)
  expect(await end()).toMatchObject({ code: 0, said: expect.stringContaining('exchanges: client.token 2') })
}, 60_000)

test('a request that is under way when the proxy ends is judged, and in the HAR', async () => {
  const target = createServer(() => {})
  const address = await listening(target)
  const { url, end } = await proxyTo(['--pods', address, '--har', 'cut.har'])
  const sent = fetch(`${url}/v2/pods`, { headers: { authorization: 'Bearer some-token' } }).catch(() => null)
  await once(target, 'request')
  expect(await end()).toMatchObject({ code: 3, said: expect.stringContaining('no request got a response') })
  expect(await sent).toBeNull()
  const { log } = JSON.parse(readFileSync(join(commands.cwd, 'cut.har'), 'utf8'))
  expect(log.entries).toMatchObject([{ request: { url: `${address}/v2/pods` }, response: { status: 0 } }])
}, 60_000)

test('a HAR does not replace another file', async () => {
  writeFileSync(join(commands.cwd, 'notes.txt'), 'mine')
  const args = ['proxy', '--pods', 'http://127.0.0.1:9', '--har', 'notes.txt']
  expect(await commands.run(args)).toMatchObject({ code: 2, said: expect.stringContaining('name another file') })
})

test('a proxy that nothing passes has exercised nothing', async () => {
  const { end } = await proxyTo(['--pods', 'http://127.0.0.1:9'])
  expect(await end()).toMatchObject({ code: 3, said: expect.stringContaining('nothing was exercised') })
}, 60_000)
