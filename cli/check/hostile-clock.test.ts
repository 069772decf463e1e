import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { expect, type TestContext, test } from 'vitest'
import { hostileClock, hostilities } from '../../harness/testing/hostile-clock.ts'
import { listening } from '../../harness/testing/listening.ts'
import { inProcess } from '../../harness/transport/in-process.ts'
import { type FailureKind, TransportFailure } from '../../harness/transport/types.ts'
import { createInstance, referenceTarget } from '../../proof/instance.ts'
import { createControlHandler } from '../../reference/index.ts'
import { writeTarget } from '../../target-file/write.ts'
import { createCommands } from '../shared/testing/commands.ts'

const timeout = 120_000

/** A reference over HTTP whose clock breaks from a call on, and a folder with its target file; `broken` comes with that call. */
async function serveHostile({ onTestFinished }: TestContext, says: string, from: number) {
  const commands = createCommands('hostile')
  const hostility = hostilities.find((one) => one.says === says)
  if (hostility === undefined) throw new Error(`no hostility says ${says}`)
  const instance = createInstance()
  instance.reach?.((request) => globalThis.fetch(request))
  const control = createControlHandler(instance.control)
  const clock = hostileClock(inProcess(control), hostility, from)
  const { promise: broken, resolve } = Promise.withResolvers<void>()
  const fetch = async (request: Request, { incoming }: { incoming: IncomingMessage }): Promise<Response> => {
    if (new URL(request.url).pathname !== '/clock') return instance.fetch(request)
    const body = request.method === 'GET' ? null : new Uint8Array(await request.arrayBuffer())
    if (clock.calls() + 1 >= from) resolve()
    try {
      const answer = await clock.send({ method: request.method, url: request.url, headers: [], body })
      return new Response(Buffer.from(answer.body), { status: answer.status })
    } catch (error) {
      const kind: FailureKind | null = error instanceof TransportFailure ? error.kind : null
      if (kind === 'reset') incoming.socket.destroy()
      return new Promise(() => {})
    }
  }
  const url = await listening(createAdaptorServer({ fetch: fetch as never }) as Server)
  const target = { ...referenceTarget(url, 'control'), clock: { url: `${url}/clock` } }
  writeFileSync(join(commands.cwd, 'target.yaml'), writeTarget(target))
  onTestFinished(commands.close)
  const pods = async () => {
    const { json } = await globalThis
      .fetch(`${url}/v2/pods`, { headers: { authorization: 'Bearer plumbline-example-full' } })
      .then(async (response) => ({ json: (await response.json()) as { pods: unknown[] } }))
    return json.pods.length
  }
  return { ...commands, broken, pods }
}

const selected = ['--only', 'queue.status.*', '--only', 'queue.ttl.*', '--only', 'pods.action.exited.*']

test.concurrent('a clock that breaks in the middle leaves a run that is incomplete and says why', {
  timeout,
}, async (context) => {
  const { cwd, start, pods } = await serveHostile(context, 'nextMs has half a millisecond', 60)
  const { code, said } = await start(['check', '--target', 'target.yaml', ...selected, '--out', 'out']).ended
  expect(said).toMatch(/inconclusive: clock\.url answered (GET|POST) with nextMs \d+\.5; it must be an integer or null/)
  expect(code).toBe(3)
  const { verdict } = JSON.parse(readFileSync(join(cwd, 'out', 'results.json'), 'utf8'))
  expect(verdict).toMatchObject({ exit: 3 })
  expect(await pods()).toBe(0)
})

test.concurrent('SIGTERM ends a run that waits for its clock, and what it has made is removed', {
  timeout,
}, async (context) => {
  const { cwd, start, broken, pods } = await serveHostile(context, 'it never answers', 20)
  const { child, ended } = start(['check', '--target', 'target.yaml', ...selected])
  await broken
  expect(await pods()).toBeGreaterThan(0)
  child.kill('SIGTERM')
  const { code, said } = await ended
  expect(said).toContain('plumbline: interrupted')
  expect(code).toBe(130)
  expect(await pods()).toBe(0)
  const left = existsSync(join(cwd, '.plumbline', 'runs')) ? readdirSync(join(cwd, '.plumbline', 'runs')) : []
  // A job whose submission was under way has no id yet, and stays in the ledger until its ttl is over.
  expect(left).toHaveLength(said.includes('could not be cancelled') ? 1 : 0)
})

test.concurrent('a plan needs no clock that responds', { timeout }, async (context) => {
  const { run } = await serveHostile(context, 'the connection is reset', 1)
  expect(await run(['plan', '--target', 'target.yaml'])).toMatchObject({ code: 0 })
})

test.concurrent('a target that never responds is unreachable, whatever its clock does', {
  timeout,
}, async (context) => {
  const { cwd, start, close } = createCommands('silent')
  context.onTestFinished(close)
  const url = await listening(createServer(() => {}))
  const target = { ...referenceTarget(url, 'control'), clock: { url: `${url}/clock` } }
  const tolerances = { ...target.tolerances, answerMs: 1_000 }
  writeFileSync(join(cwd, 'target.yaml'), writeTarget({ ...target, tolerances }))
  const { code, said } = await start(['check', '--target', 'target.yaml', '--only', 'auth.pods.missing']).ended
  expect(said).toMatch(/unreachable: .* gives no response that can be judged: .* \(exit 5\)/)
  expect(said).toContain('0ms on the remote clock')
  expect(code).toBe(5)
})

test.concurrent('without its clock, a run does not wait for responses that the target holds', {
  timeout,
}, async (context) => {
  const { run, start } = await serveHostile(context, '500', 1)
  expect(await run(['plan', '--target', 'target.yaml'])).toEqual({
    code: 2,
    said: expect.stringMatching(/^plumbline: clock\.url \(http\S+\) answered GET with 500; /),
  })
  const { code, said } = await start(['check', '--target', 'target.yaml', '--only', 'auth.lb.missing']).ended
  expect(said).toMatch(/refused: clock\.url \(http\S+\) answered GET with 500; .*\(exit 2\)/)
  expect(code).toBe(2)
})
