import { expect, test } from 'vitest'
import { podActions, podStatuses, tables } from '../../generated/tables.ts'
import type { Style } from '../style.ts'
import { createBench, gpuBody, networkBody } from '../testing/bench.ts'
import type { PodStatus } from './pod.ts'

const errorBody = { ...gpuBody, image: 'plumbline/error:1' }
const living = podStatuses.filter((status) => status !== 'TERMINATED')

async function podIn(status: PodStatus, bench: ReturnType<typeof createBench>): Promise<string> {
  const id = await bench.create(status === 'ERROR' ? errorBody : gpuBody)
  bench.pass({ PROVISIONING: 0, STARTING: 2000, RUNNING: 5000, EXITED: 5000, ERROR: 5000, TERMINATED: 0 }[status])
  if (status === 'EXITED') await bench.act(id, 'stop')
  expect(await bench.get(id)).toMatchObject({ body: { status } })
  return id
}

test.each(living.flatMap((status) => podActions.map((action) => [status, action] as const)))(
  '%s and %s, by the table',
  async (status, action) => {
    const bench = createBench()
    const id = await podIn(status, bench)
    const before = await bench.get(id)
    const answer = await bench.act(id, action)
    if (!tables.actions[status].includes(action)) {
      expect(answer).toMatchObject({ status: 409, body: { status: 409 } })
      expect((await bench.get(id)).body).toEqual(before.body)
    } else if (action === 'terminate') {
      expect(answer).toMatchObject({ status: 204, text: '' })
      expect(answer.headers.has('content-type')).toBe(false)
      expect(await bench.get(id)).toMatchObject({ status: 404 })
    } else {
      expect(answer).toMatchObject({ status: 200, body: { id } })
      expect(answer.body?.status).toBe({ start: 'STARTING', stop: 'EXITED', restart: 'RUNNING' }[action])
      bench.pass(60_000)
      const settled = status === 'ERROR' ? 'ERROR' : tables.transitions[action].to
      expect(await bench.get(id)).toMatchObject({ body: { status: settled } })
    }
  },
)

test('a pod goes from PROVISIONING by STARTING to RUNNING, each in its time', async () => {
  const { create, get, pass } = createBench()
  const id = await create()
  const seen: unknown[] = []
  for (const ms of [1999, 1, 2999, 1]) {
    pass(ms)
    const { body } = await get(id)
    seen.push([body?.status, body?.startedAt])
  }
  expect(seen).toEqual([
    ['PROVISIONING', null],
    ['STARTING', null],
    ['STARTING', null],
    ['RUNNING', '2026-01-02T03:04:10.000Z'],
  ])
})

test('nothing is left on the clock once a pod runs, is stopped, is gone, or the reference is closed', async () => {
  const { act, controlled, create, running, reference } = createBench()
  await running()
  expect(controlled.state().nextMs).toBe(null)
  await act(await create(), 'stop')
  await act(await create(), 'terminate')
  expect(controlled.state().nextMs).toBe(null)
  await create()
  reference.close()
  expect(controlled.state().nextMs).toBe(null)
})

test('a stopped pod costs nothing, keeps what it was made of, and starts again', async () => {
  const { act, get, pass, running } = createBench()
  const id = await running(networkBody)
  const { body: before } = await get(id)
  pass(3000)
  const { body: stopped } = await act(id, 'stop')
  expect(stopped).toEqual({ ...before, status: 'EXITED', actions: ['start', 'terminate'], cost: 0, runtime: null })
  await act(id, 'start')
  pass(3000)
  const { body: again } = await get(id)
  expect(again).toMatchObject({ ...before, startedAt: '2026-01-02T03:04:16.000Z', runtime: { uptime: 0 } })
})

test('a restart starts the container over', async () => {
  const { act, get, pass, running } = createBench()
  const id = await running()
  pass(7500)
  expect(await get(id)).toMatchObject({ body: { startedAt: '2026-01-02T03:04:10.000Z', runtime: { uptime: 7 } } })
  const { body } = await act(id, 'restart')
  expect(body).toMatchObject({ status: 'RUNNING', startedAt: '2026-01-02T03:04:17.500Z', runtime: { uptime: 0 } })
})

test('a locked pod refuses stop and restart, and can be terminated', async () => {
  const { act, get, patch, running } = createBench()
  const id = await running()
  expect(await patch(id, { locked: true })).toMatchObject({ body: { locked: true, actions: tables.actions.RUNNING } })
  expect(await act(id, 'stop')).toMatchObject({ status: 409 })
  expect(await act(id, 'restart')).toMatchObject({ status: 409 })
  expect(await get(id)).toMatchObject({ body: { status: 'RUNNING' } })
  expect(await act(id, 'terminate')).toMatchObject({ status: 204 })
})

test('DELETE does what terminate does, and both are final', async () => {
  const { act, call, create, get, pass, patch } = createBench()
  for (const end of [(id: string) => act(id, 'terminate'), (id: string) => call('DELETE', `/v2/pods/${id}`)]) {
    const id = await create()
    expect(await end(id)).toMatchObject({ status: 204, text: '' })
    pass(60_000)
    expect(await get(id)).toMatchObject({ status: 404 })
    expect(await patch(id, { name: 'a' })).toMatchObject({ status: 404 })
    expect(await end(id)).toMatchObject({ status: 404 })
    expect(await call('GET', '/v2/pods')).toMatchObject({ body: { pods: [] } })
  }
})

test('many stops at once have one winner, and many terminates too', async () => {
  const { act, get, running } = createBench()
  const id = await running()
  const all = async (action: string) => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => act(id, action)))
    return answers.map(({ status }) => status).sort()
  }
  expect(await all('stop')).toEqual([200, ...Array(9).fill(409)])
  expect(await get(id)).toMatchObject({ body: { status: 'EXITED' } })
  expect(await all('terminate')).toEqual([204, ...Array(9).fill(404)])
})

test.each<[Partial<Style>, string, string, object]>([
  [{ startStatus: 'PROVISIONING' }, 'EXITED', 'start', { status: 'PROVISIONING' }],
  [{ startStatus: 'RUNNING' }, 'EXITED', 'start', { status: 'RUNNING', runtime: { uptime: 0 } }],
  [{ startStatus: 'RUNNING' }, 'ERROR', 'start', { status: 'STARTING' }],
  [{ startStatus: 'as-before' }, 'EXITED', 'start', { status: 'EXITED' }],
  [{ restartStatus: 'STARTING' }, 'RUNNING', 'restart', { status: 'STARTING', runtime: null }],
  [{ restartApplied: 'later' }, 'RUNNING', 'restart', { status: 'RUNNING', startedAt: '2026-01-02T03:04:10.000Z' }],
  [{ startedAtSet: 'starting' }, 'EXITED', 'start', { startedAt: '2026-01-02T03:04:10.000Z' }],
  [{ startedAtWhenExited: 'null' }, 'RUNNING', 'stop', { startedAt: null }],
])('style %o of %s and %s', async (style, status, action, expected) => {
  const bench = createBench({ style })
  const id = await podIn(status as PodStatus, bench)
  expect(await bench.act(id, action)).toMatchObject({ status: 200, body: expected })
  bench.pass(60_000)
  const { body } = await bench.get(id)
  expect(body?.status).toBe(
    { start: status === 'ERROR' ? 'ERROR' : 'RUNNING', stop: 'EXITED', restart: 'RUNNING' }[action],
  )
})

test('by style a restart keeps startedAt, and uptime starts over all the same', async () => {
  for (const restartStatus of ['RUNNING', 'STARTING'] as const) {
    const { act, get, pass, running } = createBench({ style: { startedAtOnRestart: 'kept', restartStatus } })
    const id = await running()
    pass(5000)
    await act(id, 'restart')
    pass(1000)
    const { body } = await get(id)
    expect(body).toMatchObject({ status: 'RUNNING', startedAt: '2026-01-02T03:04:10.000Z' })
    expect(body?.runtime).toMatchObject({ uptime: restartStatus === 'RUNNING' ? 1 : 0 })
  }
})

test('a delayed stop keeps the status until it is over, calls the start off, and may be repeated', async () => {
  const { act, create, get, pass } = createBench({ life: { stopMs: 2500 } })
  const id = await create()
  expect(await act(id, 'stop')).toMatchObject({ status: 200, body: { status: 'PROVISIONING' } })
  pass(2000)
  expect(await act(id, 'stop')).toMatchObject({ status: 200, body: { status: 'PROVISIONING' } })
  pass(500)
  expect(await get(id)).toMatchObject({ body: { status: 'EXITED' } })
})

test('a life of no time is over with the response', async () => {
  const { call, controlled } = createBench({ life: { provisioningMs: 0, startingMs: 0 } })
  expect(await call('POST', '/v2/pods', { body: gpuBody })).toMatchObject({ status: 201, body: { status: 'RUNNING' } })
  expect(controlled.state().nextMs).toBe(null)
})

test('permissions come from the tables alone', async () => {
  const changed = { ...tables, actions: { ...tables.actions, EXITED: ['start', 'restart', 'terminate'] as const } }
  const { act, running } = createBench({ tables: changed })
  const id = await running()
  expect(await act(id, 'stop')).toMatchObject({ body: { actions: ['start', 'restart', 'terminate'] } })
  expect(await act(id, 'restart')).toMatchObject({ status: 200 })
})

test('by style, what the status does not permit is refused before the body is validated', async () => {
  for (const [validationFirst, status] of [
    [true, 422],
    [false, 409],
  ] as const) {
    const { act, create } = createBench({ style: { validationFirst } })
    const id = await create()
    expect(await act(id, '', { body: { action: 'start', x: 1 } })).toMatchObject({ status })
    expect(await act(id, '', { body: { action: 'stop', x: 1 } })).toMatchObject({ status: 422 })
    expect(await act(id, '', { body: { action: 'toString' } })).toMatchObject({ status: 422 })
  }
})
