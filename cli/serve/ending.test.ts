import { once } from 'node:events'
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { createCommands, until } from '../shared/testing/commands.ts'

const commands = createCommands('ending')
const serve = (...flags: readonly string[]) => commands.serve(flags)

afterAll(commands.close)

test('a request under way when SIGTERM comes is answered, whose body is still to come', async () => {
  const { url, child, ended } = await serve('--latency', '2s')
  const request = send(`${url}/v2/pods`, 'POST', { expect: '100-continue' })
  // The server has read the headers and waits for the body.
  request.on('continue', () => {
    child.kill('SIGTERM')
    request.end('{"name": "last", "image": "alpine", "cpu": {"id": "cpu3c", "vcpuCount": 2}}')
  })
  request.flushHeaders()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(201)
  response.resume()
  expect(await ended).toMatchObject({ code: 0 })
})

test('a client that sends one request after the other on a connection is not served for ever', async () => {
  const { url, child, ended } = await serve()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const statuses: (number | undefined)[] = []
  const one = async () => {
    const [response] = (await once(send(`${url}/v2/pods`, 'GET', {}, agent).end(), 'response')) as [IncomingMessage]
    response.resume()
    statuses.push(response.statusCode)
    if (statuses.length === 3) child.kill('SIGTERM')
  }
  await expect(forever(one)).rejects.toThrow()
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(await ended).toMatchObject({ code: 0 })
  agent.destroy()
})

test('on a controlled clock, which stands still then, what waits for it is cut off', async () => {
  const { url, child, ended } = await serve('--clock', 'control', '--latency', '1h')
  const request = send(`${url}/v2/pods`, 'GET').end()
  const cut = once(request, 'response')
  await until(async () => (await fetch(`${url}/plumbline/clock`)).text().then((text) => text.includes('"open":1')))
  child.kill('SIGTERM')
  await expect(cut).rejects.toThrow('socket hang up')
  expect(await ended).toMatchObject({ code: 0 })
})

test('a second signal does not wait', async () => {
  const { url, child, ended, said } = await serve('--latency', '1h', '--log')
  const cut = once(send(`${url}/v2/pods`, 'GET').end(), 'response')
  // A response to a later request shows that the earlier one has come.
  await fetch(url)
  child.kill('SIGTERM')
  await until(() => said().includes('waiting for requests under way, for up to 60 s; a second signal cuts them off'))
  child.kill('SIGTERM')
  await expect(cut).rejects.toThrow('socket hang up')
  expect(await ended).toMatchObject({ code: 130 })
})

function send(url: string, method: string, headers: Record<string, string> = {}, agent?: Agent): ClientRequest {
  const authorization = 'Bearer plumbline-example-full'
  const all = { authorization, 'content-type': 'application/json', ...headers }
  return httpRequest(url, { method, headers: all, ...(agent === undefined ? {} : { agent }) })
}

async function forever(work: () => Promise<void>): Promise<never> {
  for (;;) await work()
}
