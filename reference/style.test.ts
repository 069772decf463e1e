import { expect, test } from 'vitest'
import { type Answer, constraints } from '../generated/tables.ts'
import { validators } from '../generated/validators.ts'
import { type Style, styleChoices } from './style.ts'
import { cpuBody, createBench, gpuBody, type Heard, networkBody } from './testing/bench.ts'

const body = { ...networkBody, globalNetworking: true, ports: ['22/tcp', '80/http'] }
/** Choices that need another one beside them. */
const companions: Partial<Record<string, Partial<Style>>> = {
  'terminatedListed=true': { terminated: 'shown' },
  'deleteBody=empty-object': { deleteStatus: 200 },
  'deleteBody=pod': { deleteStatus: 202 },
}
const every = Object.entries(styleChoices).flatMap(([name, choices]) =>
  choices.map((choice) => ({ name, choice, style: { ...companions[`${name}=${choice}`], [name]: choice } })),
)

test.each(every)('$name $choice: a whole life of valid pods', async ({ style }) => {
  const { act, call, create, get, pass, patch } = createBench({ style })
  const key = 'second'
  const seen: Heard[] = [await call('POST', '/v2/pods', { body, key })]
  const id = String(seen[0]?.body?.id)
  for (const ms of [2000, 3000]) {
    pass(ms)
    seen.push(await get(id))
  }
  seen.push(await patch(id, { name: 'n', mounts: {} }), await act(id, 'restart'))
  pass(5000)
  seen.push(await act(id, 'stop'), await act(id, 'start'))
  pass(9000)
  seen.push(await get(id))
  for (const { body: pod, status } of seen) {
    expect([200, 201, 202]).toContain(status)
    expect(validators.Pod(pod), JSON.stringify(validators.Pod.errors)).toBe(true)
  }
  expect(seen.at(-1)).toMatchObject({ body: { id, name: 'n', status: 'RUNNING' } })
  expect((await call('DELETE', `/v2/pods/${id}`)).status).toBeLessThan(300)
  expect((await act(id, 'start')).status).toBeGreaterThanOrEqual(400)
  await create(style.cpuMemory === 'required' ? { ...cpuBody, cpu: { ...cpuBody.cpu, memory: 1 } } : cpuBody)
  expect(await call('GET', '/v2/catalog/cpus')).toMatchObject({ status: 200 })
})

test('a constraint without a style has a status that answers it', () => {
  const others = Object.entries(constraints).filter(([name]) => !(name in styleChoices))
  expect(others.map(([name, [usual]]) => [name, usual])).toEqual([
    ['bothMounts', 400],
    ['emptyNetwork', 400],
    ['webhookScheme', 400],
  ])
})

test.each(Object.entries(constraints).filter(([name]) => name in styleChoices))(
  'a style answers %s as the API document permits: %j',
  (name, permitted: readonly Answer[]) => {
    const choices: readonly unknown[] = styleChoices[name as keyof Style]
    const isPermitted = (answer: unknown) => {
      // A word accepts the request.
      const status = typeof answer === 'number' ? answer : 200
      return permitted.includes(status) || permitted.includes(status < 300 ? '2XX' : '4XX')
    }
    expect(choices.filter((choice) => !isPermitted(choice))).toEqual([])
    expect(permitted.filter((answer) => Number(answer) >= 400 && !choices.includes(answer))).toEqual([])
  },
)

test.each<[Partial<Style>, object]>([
  [{ createStatus: 200 }, { status: 200 }],
  [{ extraFields: true }, { body: { region: 'region-1', gpu: { displayName: expect.any(String) } } }],
  [{ extraEnv: true }, { body: { env: { POD_ID: expect.stringMatching(/^pod-/) } } }],
  [{ actionsOrder: 'reversed' }, { body: { actions: ['terminate', 'stop'] } }],
  [{ provisioningDataCenter: 'null' }, { body: { dataCenterId: null } }],
  [{ costBeforeRunning: 'zero' }, { body: { cost: 0 } }],
  [{ networkAddress: 'enabled-only' }, { body: { globalNetworking: { enabled: true } } }],
  [{ networkAssigned: 'running' }, { body: { globalNetworking: { enabled: false } } }],
  [{ dateTimes: 'seconds' }, { body: { createdAt: '2026-01-02T03:04:05Z' } }],
  [{ dateTimes: 'microseconds' }, { body: { createdAt: '2026-01-02T03:04:05.000000Z' } }],
  [{ dateTimes: 'offset' }, { body: { createdAt: '2026-01-02T03:04:05.000+00:00' } }],
  [{ dateTimes: 'elsewhere' }, { body: { createdAt: '2026-01-02T05:04:05.000+02:00' } }],
  [{ dateTimes: 'lower-case' }, { body: { createdAt: '2026-01-02t03:04:05.000z' } }],
])('creation in style %o', async (style, expected) => {
  expect(await createBench({ style }).call('POST', '/v2/pods', { body })).toMatchObject(expected)
})

test.each<[Partial<Style>, object | null]>([
  [
    {},
    {
      uptime: 0,
      gpus: [{}],
      cpu: {},
      memory: {},
      ports: [{ private: 22, type: 'tcp', ip: '192.0.2.1' }, { public: null }],
    },
  ],
  [{ runtimeParts: 'partial' }, { uptime: 0, cpu: {} }],
  [{ runtimeParts: 'empty' }, {}],
  [{ publicPorts: 'null' }, { ports: [{ private: 22, public: null, ip: null }, { private: 80 }] }],
])('live metrics in style %o', async (style, runtime) => {
  const { get, running } = createBench({ style })
  expect(await get(await running(body))).toMatchObject({ body: { status: 'RUNNING', runtime } })
})

test('live metrics may come late and be kept a while', async () => {
  const { get, pass, running } = createBench({ life: { runtimeDelayMs: 1000, runtimeCacheMs: 5000 } })
  const id = await running()
  const seen: unknown[] = []
  for (const ms of [0, 1000, 6000, 3000]) {
    pass(ms)
    const runtime = (await get(id)).body?.runtime as { uptime: number } | null
    seen.push(runtime?.uptime ?? null)
  }
  expect(seen).toEqual([null, 0, 5, 10])
})

test('the order of members, of the list, and the shapes around pods are free', async () => {
  const style = {
    memberOrder: 'reversed',
    listOrder: 'newest-first',
    listShape: 'array',
    catalogShape: 'array',
  } as const
  const { call, create, get } = createBench({ style })
  const ids = [await create(), await create()]
  expect(Object.keys((await get(String(ids[0]))).body ?? {}).at(-1)).toBe('id')
  expect(await call('GET', '/v2/pods')).toMatchObject({ body: [{ id: ids[1] }, { id: ids[0] }] })
  expect(await call('GET', '/v2/catalog/cpus')).toMatchObject({ body: [{ id: 'cpu3c' }, { id: 'cpu3m' }] })
})

test.each<[Partial<Style>, number, string]>([
  [{}, 204, ''],
  [{ deleteStatus: 202 }, 202, ''],
  [{ deleteStatus: 200, deleteBody: 'empty-object' }, 200, '{}'],
])('DELETE in style %o', async (style, status, text) => {
  const { call, create } = createBench({ style })
  expect(await call('DELETE', `/v2/pods/${await create()}`)).toMatchObject({ status, text })
})

test.each<[Partial<Style>, (number | string)[]]>([
  [{}, [404, 404, 404, 404, 'unlisted']],
  [{ terminated: 'shown' }, [200, 409, 404, 404, 'unlisted']],
  [{ terminated: 'shown', terminatedListed: true, terminatedAction: 404 }, [200, 404, 404, 404, 'listed']],
  [{ terminated: 'shown', terminatedChange: 409, terminatedDelete: 204 }, [200, 409, 409, 204, 'unlisted']],
  [{ terminatedAction: 409, terminatedDelete: 409 }, [404, 409, 404, 409, 'unlisted']],
])('a terminated pod in style %o: GET, action, PATCH, DELETE, list', async (style, expected) => {
  const { act, call, create, get, patch } = createBench({ style })
  const id = await create()
  await act(id, 'terminate')
  const shown = await get(id)
  if (shown.status === 200) {
    expect(shown.body).toMatchObject({ status: 'TERMINATED', actions: [], cost: 0, runtime: null })
  }
  const list = (await call('GET', '/v2/pods')).body?.pods as unknown[]
  const statuses = [
    shown,
    await act(id, 'start'),
    await patch(id, { name: 'n' }),
    await call('DELETE', `/v2/pods/${id}`),
  ]
  expect([...statuses.map(({ status }) => status), list.length > 0 ? 'listed' : 'unlisted']).toEqual(expected)
})

test('a terminated pod may be shown for a while', async () => {
  const { act, create, get, pass } = createBench({ style: { terminated: 'shown-for-a-while' } })
  const id = await create()
  await act(id, 'terminate')
  pass(59_999)
  expect(await get(id)).toMatchObject({ status: 200, body: { status: 'TERMINATED' } })
  pass(1)
  expect(await get(id)).toMatchObject({ status: 404 })
})

test.each<[Partial<Style>, Record<string, number>, string[]]>([
  [{ lockedRefusal: 403 }, { stop: 403, restart: 403, terminate: 204 }, ['stop', 'restart', 'terminate']],
  [{ lockedActions: 'without' }, { stop: 409, restart: 409, terminate: 204 }, ['terminate']],
  [{ lockedRestart: 'allow', lockedActions: 'without' }, { stop: 409, restart: 200 }, ['restart', 'terminate']],
  [{ lockedTerminate: 'refuse', lockedRefusal: 423 }, { terminate: 423 }, ['stop', 'restart', 'terminate']],
])('a locked pod in style %o', async (style, answers, actions) => {
  const { act, call, patch, running } = createBench({ style })
  const id = await running()
  expect((await patch(id, { locked: true })).body?.actions).toEqual(actions)
  for (const [action, status] of Object.entries(answers)) expect(await act(id, action)).toMatchObject({ status })
  if (style.lockedTerminate === 'refuse') expect(await call('DELETE', `/v2/pods/${id}`)).toMatchObject({ status: 423 })
})

test('answers and lists may come late', async () => {
  const { call, controlled, create, pass } = createBench({ life: { listLagMs: 500 } })
  const id = await create()
  expect(await call('GET', '/v2/pods')).toMatchObject({ body: { pods: [] } })
  pass(500)
  expect(await call('GET', '/v2/pods')).toMatchObject({ body: { pods: [{ id }] } })
  expect(controlled.state().open).toBe(0)

  const slow = createBench({ life: { answerDelayMs: 250 } })
  const asked = slow.call('POST', '/v2/pods', { body: gpuBody })
  while (slow.controlled.state().nextMs !== slow.controlled.clock.now() + 250) await new Promise(setImmediate)
  expect(slow.controlled.state().open).toBe(1)
  slow.pass(250)
  expect(await asked).toMatchObject({ status: 201 })
})

test('an EXITED pod may lose its data center, and an ERROR may cost nothing', async () => {
  const { act, get, running } = createBench({ style: { exitedDataCenter: 'null', costInError: 'zero' } })
  expect(await act(await running(), 'stop')).toMatchObject({ body: { dataCenterId: null } })
  const id = await running({ ...gpuBody, image: 'plumbline/error' })
  expect(await get(id)).toMatchObject({ body: { status: 'ERROR', cost: 0 } })
})

test('authentication in another style', async () => {
  const { call } = createBench({ style: { schemeCase: 'exact', wwwAuthenticate: false } })
  const refused = await call('GET', '/v2/pods', { authorization: 'bearer plumbline-example-full' })
  expect(refused.status).toBe(401)
  expect(refused.headers.has('www-authenticate')).toBe(false)
})
