import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { createClient, firstRunning, journey, journeyPods, type Send } from '../../traffic/testing/client.ts'
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

/** A served reference with a proxy in front of it. */
async function proxied(serving: readonly string[], ...flags: readonly string[]) {
  const server = await commands.serve(['--state', state, ...serving])
  const command = commands.start(['proxy', '--target', server.target, '--port', '0', ...flags])
  await until(() => command.said().includes('forwards to'))
  const url = /(\S+) forwards to/.exec(command.said())?.[1] ?? ''
  const end = async () => {
    command.child.kill('SIGTERM')
    const { code, said } = await command.ended
    server.child.kill()
    return { code, said }
  }
  return { server, url, end, send: createClient(url, fetch).send }
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
  await send('POST', `/v2/pods/${await firstRunning(send)}/action`, { body: { action: 'start' } })
  await send('POST', '/v2/normal/run', { body: { input: 'no object' } })
  await send('GET', '/v2/pods', { token: null })
  await send('GET', '/v2/pods', { token: 'never-issued-token' })
  await until(async () => (await send('GET', '/v2/pods')).status === 429)
  await send('GET', '/v2/pods')
}

test('a right client of the reference has no finding, and its HAR is judged as well', async () => {
  const { server, send, end } = await proxied([], '--har', 'traffic.har')
  await journey(send)
  const { code, said } = await end()
  expect(said).not.toContain('expected')
  expect(said).toMatch(/exercised, with the number of exchanges: .*client\.token 13, client\.body 4, client\.action 1/)
  expect(code).toBe(0)
  const again = await commands.run(['judge', 'traffic.har', '--target', server.target])
  expect(again).toMatchObject({ code: 0, said: expect.stringContaining('13 exchanges judged') })
  expect(readFileSync(join(commands.cwd, 'traffic.har'), 'utf8')).not.toMatch(
    /never-issued|plumbline-example|of-a-browser/,
  )
}, 60_000)

test('a response reaches the client as it is sent, and a target that is not there is a 502', async () => {
  const { server, url, end } = await proxied([])
  const get = () => fetch(`${url}/v2/pods`, { headers: { authorization: 'Bearer plumbline-example-full' } })
  const { body, headers } = await get()
  expect(headers.get('ratelimit')).not.toBeNull()
  expect(await new Response(body).text()).toContain('"name":"first"')
  server.child.kill('SIGKILL')
  await server.ended
  expect((await get()).status).toBe(502)
  expect(await end()).toMatchObject({ code: 0 })
}, 60_000)

test('a proxy that nothing passes has exercised nothing', async () => {
  const { end } = await proxied([])
  expect(await end()).toMatchObject({ code: 3, said: expect.stringContaining('nothing was exercised') })
}, 60_000)
