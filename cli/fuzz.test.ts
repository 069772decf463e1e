import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { createCommands } from './testing/commands.ts'

const commands = createCommands('fuzz')
const { cwd } = commands
const key = 'plumbline-example-full'
let base = ''
let proxy: Server

beforeAll(async () => {
  const served = await commands.serve(['--clock', 'control'])
  const target = parse(readFileSync(join(cwd, served.target), 'utf8'))
  base = target.pods.url
  proxy = echoing()
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  writeFileSync(join(cwd, 'shown.yaml'), stringify({ ...target, pods: { ...target.pods, url: `${url}/shown` } }))
  writeFileSync(join(cwd, 'refused.yaml'), stringify({ ...target, pods: { ...target.pods, url: `${url}/refused` } }))
})

afterAll(() => {
  proxy.close()
  commands.close()
})

test.each([
  ['in what a pod shows', 'shown', 1, 'and then image "Bearer «key.full»"'],
  ['in why no pod is made', 'refused', 3, 'Bearer «key.full» may not'],
])('a key that a target echoes %s is on no terminal and in no file', async (_, name, code, said) => {
  const words = ['--runs', '12', '--seed', '1', '--json', `${name}.json`]
  const fuzzed = await commands.run(['fuzz', '--target', `${name}.yaml`, ...words])
  const written = readFileSync(join(cwd, `${name}.json`), 'utf8')
  expect(fuzzed).toEqual({ code, said: expect.stringContaining(said) })
  expect(written).toContain(said.replaceAll('"', '\\"'))
  expect(fuzzed.said + written).not.toContain(key)
  if (name === 'shown') return
  const replayed = await commands.run(['fuzz', '--target', `${name}.yaml`, '--seed', '1', '--path', '3'])
  expect(replayed).toEqual({ code, said: expect.stringContaining(said) })
  expect(replayed.said).not.toContain(key)
})

test('a finding that shows later is found again by its path on a server that has just started', async () => {
  const defect = ['--clock', 'control', '--defect', 'terminate-extra-refused-and-renamed']
  const [first, second] = [await commands.serve(defect), await commands.serve(defect)]
  const fuzzed = await commands.run(['fuzz', '--target', first.target, '--seed', '7', '--runs', '420'])
  expect(fuzzed).toEqual({
    code: 1,
    said: expect.stringContaining('body:     {"action":"terminate","plumbline":null}'),
  })
  const path = /--seed 7 --path (\S+)/.exec(fuzzed.said)?.[1] ?? ''
  const again = await commands.run(['fuzz', '--target', second.target, '--seed', '7', '--path', path])
  expect(again).toEqual({ code: 1, said: expect.stringContaining('status 422, and then name "renamed"') })
})

/** A gateway before the reference, which tells the key that it was given. */
function echoing(): Server {
  const tried = new Set<string>()
  return createServer(async (request, response) => {
    const { method = 'GET', headers } = request
    const [, way = '', path = ''] = /^\/(\w+)(.*)$/.exec(request.url ?? '') ?? []
    const send = (status: number, text: string | null) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(text ?? undefined)
    if (way === 'refused' && method === 'POST') {
      return send(403, JSON.stringify({ title: 'Forbidden', status: 403, detail: `${headers.authorization} may not` }))
    }
    const pod = /^\/v2\/pods\/([^/]+)/.exec(path)?.[1] ?? ''
    if (method === 'PATCH' || path.endsWith('/action')) tried.add(pod)
    const answer = await fetch(base + path, { method, headers: headersOf(request), body: await bodyOf(request) })
    const text = await answer.text()
    if (method !== 'GET' || !tried.has(pod) || answer.status !== 200) return send(answer.status, text || null)
    send(200, JSON.stringify({ ...JSON.parse(text), image: headers.authorization }))
  })
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const { authorization = '', 'content-type': type } = headers
  return { authorization, ...(type === undefined ? {} : { 'content-type': type }) }
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length === 0 ? null : new Uint8Array(Buffer.concat(chunks))
}
