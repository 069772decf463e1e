import { describe, expect, test } from 'vitest'
import type { defaultKeys } from '../index.ts'
import type { Style } from '../style.ts'
import { createQueueBench } from '../testing/queue-bench.ts'

const body = {
  name: 'summaries',
  templateId: 'tpl-worker',
  gpuTypeIds: ['gpu-a'],
  workersMin: 0,
  workersMax: 2,
  idleTimeout: 5,
}
const quota = 'Max workers across all endpoints must not exceed your workers quota (30)'
/** Workers of the quota that the default endpoints leave. */
const left = 8

function createEndpointBench(options: Parameters<typeof createQueueBench>[0] = {}) {
  const bench = createQueueBench(options)
  const at = (id = '') => `/v1/endpoints${id === '' ? '' : `/${id}`}`
  const create = (more: object = {}) => bench.call('POST', at(), { body: { ...body, ...more } })
  const made = async (more: object = {}) => String((await create(more)).body?.id)
  const list = async (key: keyof typeof defaultKeys = 'full') =>
    (await bench.call('GET', at(), { key })).body as unknown as Readonly<Record<string, unknown>>[]
  return { ...bench, at, create, made, list }
}

test('an endpoint is created, listed, read, changed and deleted', async () => {
  const { at, call, create, list } = createEndpointBench()
  const created = await create()
  expect(created).toMatchObject({ status: 200, body: { ...body, id: expect.stringMatching(/^ep-/) } })
  const id = String(created.body?.id)
  expect((await list()).map((one) => one.id)).toEqual([
    ...['normal', 'dedicated', 'two-workers', 'second', 'scale-to-zero', 'timeout'],
    id,
  ])
  expect(await call('PATCH', at(id), { body: { workersMax: 3 } })).toMatchObject({
    status: 200,
    body: { ...body, workersMax: 3 },
  })
  expect(await call('GET', at(id))).toMatchObject({ status: 200, body: { id, workersMax: 3 } })
  expect(await call('DELETE', at(id))).toMatchObject({ status: 204, text: '' })
  expect(await call('GET', at(id))).toMatchObject({ status: 404, body: { error: 'endpoint not found', status: 404 } })
  expect((await list()).map((one) => one.id)).not.toContain(id)
})

test('only the template is required', async () => {
  const { at, call } = createEndpointBench()
  expect(await call('POST', at(), { body: { templateId: 'tpl-worker' } })).toMatchObject({
    status: 200,
    body: { gpuTypeIds: [], workersMin: 0, workersMax: 3, idleTimeout: 5 },
  })
})

describe.each([
  ['a name that is no text', { name: 5 }],
  ['no template', { templateId: undefined }],
  ['a template that is unknown', { templateId: 'tpl-none' }],
  ['a GPU type that is unknown', { gpuTypeIds: ['gpu-z'] }],
  ['GPU types that are no list', { gpuTypeIds: 'gpu-a' }],
  ['a fraction of a worker', { workersMax: 1.5 }],
  ['fewer workers than none', { workersMin: -1 }],
  ['more workers at least than at most', { workersMin: 3 }],
  ['a negative idleTimeout', { idleTimeout: -1 }],
  ['more workers than the account may have', { workersMax: left + 1 }],
])('%s is refused', (_name, wrong) => {
  test('in a creation', async () => {
    const { create, list } = createEndpointBench()
    expect(await create(wrong)).toMatchObject({ status: 400, body: { error: expect.any(String), status: 400 } })
    expect(await list()).toHaveLength(6)
  })

  test.skipIf('templateId' in wrong && wrong.templateId === undefined)('in a change', async () => {
    const { at, call, made } = createEndpointBench()
    const id = await made()
    expect(await call('PATCH', at(id), { body: wrong })).toMatchObject({ status: 400 })
    expect(await call('GET', at(id))).toMatchObject({ body })
  })
})

test('the quota of workers is for all endpoints of a user together', async () => {
  const { at, call, create, made } = createEndpointBench()
  const id = await made({ workersMax: left })
  expect(await create({ workersMax: 1 })).toMatchObject({ status: 400, body: { error: quota } })
  expect(await call('PATCH', at(id), { body: { workersMax: left + 1 } })).toMatchObject({ body: { error: quota } })
  expect(await call('PATCH', at(id), { body: { workersMax: left - 1 } })).toMatchObject({ status: 200 })
  expect(await create({ workersMax: 1 })).toMatchObject({ status: 200 })
  expect(await call('POST', at(), { body, key: 'stranger' })).toMatchObject({ status: 200 })
})

test.each([
  ['no key', { authorization: null }, 401],
  ['an expired key', { key: 'expired' }, 401],
  ['a key without the permission', { key: 'restricted' }, 403],
  ["another account's key", { key: 'stranger' }, 404],
] as const)('with %s', async (_name, sent, status) => {
  const { at, call, made } = createEndpointBench()
  const id = await made()
  expect(await call('GET', at(id), sent)).toMatchObject({ status })
  expect(await call('PATCH', at(id), { ...sent, body: { workersMax: 1 } })).toMatchObject({ status })
  expect(await call('DELETE', at(id), sent)).toMatchObject({ status })
  expect(await call('GET', at(id))).toMatchObject({ body })
})

test('a new endpoint serves jobs at once, on the first GPU type that is available', async () => {
  const { made, pass, submit } = createEndpointBench()
  const id = await made({ gpuTypeIds: ['gpu-c', 'gpu-b', 'gpu-a'] })
  const job = await submit([{ report: ['gpu'] }], {}, id)
  await pass(2_000)
  expect(await job.status()).toMatchObject({ status: 'COMPLETED', output: { gpu: { id: 'gpu-b', count: 1 } } })
})

test('an endpoint has its least number of workers without a job, and they leave when it is lowered', async () => {
  const { at, call, made, operate, pass } = createEndpointBench()
  const id = await made({ workersMin: 2 })
  await pass(2_000)
  const workers = async () => (await operate('GET', 'health', {}, id)).body?.workers
  expect(await workers()).toMatchObject({ idle: 2, ready: 2 })
  await call('PATCH', at(id), { body: { workersMin: 0, workersMax: 1 } })
  expect(await workers()).toMatchObject({ idle: 1 })
})

test('the jobs of a deleted endpoint are gone, held requests too', async () => {
  const { at, call, made, operate, pass, rest } = createEndpointBench()
  const id = await made()
  const held = operate('POST', 'runsync', { body: { input: {} } }, id)
  await rest()
  await call('DELETE', at(id))
  expect(await held).toMatchObject({ status: 404 })
  expect(await operate('GET', 'health', {}, id)).toMatchObject({ status: 404 })
  await pass(10_000)
})

test.each<[Partial<Style>, object, object]>([
  [{ endpointCreated: 201 }, {}, { status: 201 }],
  [{ endpointFields: 'least' }, {}, { body: { id: expect.any(String), name: 'summaries' } }],
  [{ endpointNames: 'suffixed' }, {}, { body: { name: 'summaries -fb' } }],
  [{ idleUnit: 'milliseconds' }, {}, { body: { idleTimeout: 5 } }],
  [{ endpointInvalid: 422 }, { workersMax: 'two' }, { status: 422 }],
  [{ unknownTemplate: 404 }, { templateId: 'tpl-none' }, { status: 404 }],
  [{ workersQuota: 500 }, { workersMax: 31 }, { status: 500, body: { error: quota } }],
  [{ endpointErrors: 'problem' }, { workersMax: 31 }, { body: { title: 'Bad Request', detail: quota } }],
])('by style %j', async (style, more, answer) => {
  const { create } = createEndpointBench({ style })
  expect(await create(more)).toMatchObject(answer)
})

test('by style lists are objects, and deletions are answered 200', async () => {
  const { at, call, made } = createEndpointBench({ style: { endpointList: 'object', endpointDeleted: 200 } })
  expect(await call('DELETE', at(await made()))).toMatchObject({ status: 200, body: {} })
  expect((await call('GET', at())).body?.endpoints).toHaveLength(6)
})

test('an endpoint can be reachable and listed some seconds after its creation', async () => {
  const { list, made, operate, pass } = createEndpointBench({ life: { endpointReachableMs: 3_000, listLagMs: 3_000 } })
  const id = await made()
  expect(await operate('GET', 'health', {}, id)).toMatchObject({ status: 404 })
  expect(await list()).toHaveLength(6)
  await pass(3_000)
  expect(await operate('GET', 'health', {}, id)).toMatchObject({ status: 200 })
  expect(await list()).toHaveLength(7)
})
