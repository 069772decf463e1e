import { afterEach, describe, expect, test } from 'vitest'
import { createRealClock } from '../clock/real.ts'
import { type HttpListener, listenForArrivals } from './http.ts'
import { createReceiver, type Receiver } from './receiver.ts'
import type { Arrival, WebhookAnswer } from './types.ts'

let arrivals: Arrival[] = []
let listener: HttpListener | null = null

afterEach(async () => {
  await listener?.close()
  listener = null
})

async function open(): Promise<{ receiver: Receiver; url: string }> {
  arrivals = []
  listener = await listenForArrivals('127.0.0.1:0')
  const { url } = listener
  const clock = createRealClock()
  const receiver = createReceiver({
    runId: 'r1',
    seed: 1,
    url,
    clock,
    wallNow: () => 0,
    record: (one) => arrivals.push(one),
  })
  listener.open(receiver.receive, receiver.replayed)
  return { receiver, url }
}

function post(url: string, body: object = {}, call?: string): Promise<Response> {
  const headers: Record<string, string> = call === undefined ? {} : { 'Plumbline-Call': call }
  return fetch(url, { method: 'POST', body: JSON.stringify(body), headers, redirect: 'manual' })
}

describe('a beacon', () => {
  test('tells which execution of the job it is; one that is told again stays what it was', async () => {
    const { receiver } = await open()
    const { beacon, look } = receiver.inbox('queue.x', 1, [200])
    // A worker that the platform does not tell the attempt says null.
    const starts = ['a', 'b', 'a'].map((execution) => ({ execution, worker: 'w', attempt: null }))
    const told: unknown[] = []
    for (const start of starts) told.push(await (await post(`${beacon.url}/start`, start, 'x1')).json())
    expect(told).toEqual([{ n: 1 }, { n: 2 }, { n: 1 }])
    expect((await beacon.started(2).comes).call).toBe('x1')
    expect(beacon.executions()).toEqual([])
    look()
    expect(beacon.executions().map(({ nth }) => nth)).toEqual([1, 2])
  })

  test('holds a key until it is released, and no longer', async () => {
    const { receiver } = await open()
    const inbox = receiver.inbox('queue.x', 1, [200])
    const first = fetch(`${inbox.beacon.url}/hold/go`)
    expect((await inbox.beacon.waiting('go').comes).answer).toBe('held')
    inbox.beacon.release('go')
    expect((await first).status).toBe(204)
    expect((await fetch(`${inbox.beacon.url}/hold/go`)).status).toBe(204)
    inbox.beacon.holdAgain('go')
    const again = fetch(`${inbox.beacon.url}/hold/go`)
    expect((await inbox.beacon.waiting('go', 3).comes).answer).toBe('held')
    inbox.beacon.release('go')
    expect((await again).status).toBe(204)
    const other = fetch(`${inbox.beacon.url}/hold/other`)
    await inbox.beacon.waiting('other').comes
    receiver.releaseAll([inbox])
    expect((await other).status).toBe(204)
  })

  test('what it is told is seen from the next look on', async () => {
    const { receiver } = await open()
    const inbox = receiver.inbox('queue.x', 1, [200])
    await post(`${inbox.beacon.url}/end`, { execution: 'a', outcome: 'completed' })
    expect(inbox.beacon.ends()).toHaveLength(0)
    inbox.look()
    expect(inbox.beacon.ends()).toMatchObject([{ kind: 'end', nth: 1, owner: 'queue.x', answer: '200' }])
  })
})

const scripts: readonly [script: readonly WebhookAnswer[], statuses: readonly (number | 'reset')[]][] = [
  [[200], [200, 200]],
  [
    [500, 200],
    [500, 200, 200],
  ],
  [[{ redirect: 'http://127.0.0.1:9/x' }], [302]],
  [
    ['reset', 204],
    ['reset', 204],
  ],
  [[{ slowMs: 5, status: 201 }], [201]],
]

test.each(scripts)('notifications are answered %j', async (script, statuses) => {
  const { receiver } = await open()
  const inbox = receiver.inbox('queue.x', 1, script)
  const seen: (number | 'reset')[] = []
  for (const _ of statuses) {
    seen.push(
      await post(inbox.webhook.url).then(
        ({ status }) => status,
        () => 'reset' as const,
      ),
    )
  }
  expect(seen).toEqual(statuses)
  inbox.look()
  expect(inbox.webhook.attempts().map(({ nth }) => nth)).toEqual(statuses.map((_, n) => n + 1))
})

describe('whatever else comes', () => {
  test.each([
    ['nothing of the run', () => '/'],
    ['another token', (url: string) => new URL(url).pathname.replace(/^\/./, '/z')],
    ['no such job', (_: string, beacon: string) => new URL(beacon).pathname.replace(/[^/]{32}\/job$/, 'a'.repeat(32))],
    ['no such place', (url: string) => `${new URL(url).pathname}/more`],
    ['a key that is none', (_: string, beacon: string) => `${new URL(beacon).pathname}/hold/a%20b`],
  ])('is 404 and evidence: %s', async (_, path) => {
    const { receiver, url } = await open()
    const inbox = receiver.inbox('queue.x', 1, [200])
    expect((await post(`${url}${path(inbox.webhook.url, inbox.beacon.url)}`)).status).toBe(404)
    expect(arrivals).toMatchObject([{ kind: 'unexpected', answer: '404' }])
  })

  test('is recorded a hundred times and no more', async () => {
    const { url } = await open()
    for (let n = 0; n < 110; n++) await fetch(`${url}/favicon.ico`)
    expect(arrivals).toHaveLength(100)
  })

  test('a start without an execution is 400', async () => {
    const { receiver } = await open()
    expect((await post(`${receiver.inbox('queue.x', 1, [200]).beacon.url}/start`)).status).toBe(400)
    expect(arrivals).toMatchObject([{ kind: 'unexpected', owner: 'queue.x', answer: '400' }])
  })
})

test('the URL of a webhook is short, and found below the path that a proxy adds', async () => {
  const { receiver, url } = await open()
  const inbox = receiver.inbox('queue.x', 1, [200])
  expect(inbox.webhook.url.slice(url.length)).toMatch(/^\/[\w-]{22}$/)
  expect((await post(inbox.webhook.url.replace(url, `${url}/proxied`))).status).toBe(200)
  inbox.look()
  expect(inbox.webhook.attempts()).toHaveLength(1)
})

test('an idle connection has no time limit', async () => {
  const { receiver } = await open()
  const { headers } = await post(receiver.inbox('queue.x', 1, [200]).webhook.url)
  expect(headers.get('Connection')).toBe('keep-alive')
  expect(headers.get('Keep-Alive')).toBeNull()
})

test('tokens follow from run, seed and owner, and differ between jobs', async () => {
  const { receiver } = await open()
  const first = receiver.inbox('queue.x', 1, [200])
  const again = (await open()).receiver.inbox('queue.x', 1, [200])
  const urls = [first, receiver.inbox('queue.x', 2, [200]), receiver.inbox('queue.y', 1, [200])].map(
    ({ token }) => token,
  )
  expect(again.token).toBe(first.token)
  expect(new Set(urls).size).toBe(3)
})
