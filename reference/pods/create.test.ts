import { expect, test } from 'vitest'
import { validators } from '../../generated/validators.ts'
import type { Style } from '../style.ts'
import { cpuBody, createBench, gpuBody, networkBody, persistentBody } from '../testing/bench.ts'

const persistent = { size: 10, path: '/data' }
const network = [{ volumeId: 'vol-1', path: '/data' }]

test('a GPU pod has every default and is valid', async () => {
  const { call } = createBench()
  const { status, body } = await call('POST', '/v2/pods', { body: gpuBody })
  expect(status).toBe(201)
  expect(validators.Pod(body), JSON.stringify(validators.Pod.errors)).toBe(true)
  expect(body).toEqual({
    id: expect.stringMatching(/^pod-[a-z2-7]{12}$/),
    name: 'trainer',
    status: 'PROVISIONING',
    actions: ['stop', 'terminate'],
    image: 'registry.test/trainer:1',
    args: '',
    disk: 20,
    ports: [],
    env: {},
    registry: null,
    mounts: {},
    gpu: { id: 'gpu-a', count: 1 },
    cloud: 'SECURE',
    dataCenterId: 'dc-1',
    template: null,
    cost: 0.44,
    locked: false,
    globalNetworking: { enabled: false },
    runtime: null,
    createdAt: '2026-01-02T03:04:05.000Z',
    startedAt: null,
  })
})

test('a pod has what was asked for', async () => {
  const { call } = createBench()
  const fields = {
    args: '--x',
    disk: 1,
    ports: ['22/tcp', '80/http'],
    env: { A: '1' },
    registry: 'r-1',
    cloud: 'COMMUNITY',
  }
  const cpu = { id: 'cpu3m', vcpuCount: 16, memory: 5 }
  const asked = { ...cpuBody, ...fields, cpu, mounts: { network }, globalNetworking: true }
  const { body } = await call('POST', '/v2/pods', { body: asked })
  expect(body).toMatchObject({ ...fields, cpu, mounts: { network }, cost: 0.8 })
  expect(body).not.toHaveProperty('gpu')
  expect(body?.globalNetworking).toEqual({ enabled: true, ip: '10.0.0.1', internalDns: `${body?.id}.pods.internal` })
})

test('memory is derived from the flavor where it is left out', async () => {
  const { call } = createBench()
  expect(await call('POST', '/v2/pods', { body: cpuBody })).toMatchObject({
    body: { cpu: { vcpuCount: 4, memory: 8 } },
  })
})

test.each<[unknown, number, Partial<Style>?]>([
  [{ image: 'a', gpu: { id: 'gpu-a' } }, 422],
  [{ ...gpuBody, unknown: 1 }, 422],
  [{ ...gpuBody, disk: 0 }, 422],
  [{ ...gpuBody, disk: 1.5 }, 422],
  [{ ...gpuBody, env: { A: 1 } }, 422],
  [{ ...gpuBody, cloud: 'OTHER' }, 422],
  [{ ...gpuBody, gpu: { count: 1 } }, 422],
  [{ ...gpuBody, gpu: { id: 'gpu-a', count: 0 } }, 422],
  [{ ...gpuBody, gpu: { id: 'gpu-z' } }, 400],
  [{ ...gpuBody, gpu: { id: 'gpu-z' } }, 404, { unknownGpu: 404 }],
  [{ ...gpuBody, cpu: cpuBody.cpu }, 400],
  [{ ...gpuBody, cpu: cpuBody.cpu }, 422, { gpuAndCpu: 422 }],
  [{ name: 'a', image: 'b' }, 400],
  [{ name: 'a', image: 'b' }, 422, { neitherGpuNorCpu: 422 }],
  [{ ...gpuBody, ports: ['80'] }, 422],
  [{ ...gpuBody, ports: ['80'] }, 400, { portForm: 400 }],
  [{ ...gpuBody, ports: ['0/tcp'] }, 422],
  [{ ...gpuBody, ports: ['65536/tcp'] }, 400, { portRange: 400 }],
  [{ ...cpuBody, cpu: { id: '', vcpuCount: 2 } }, 422],
  [{ ...cpuBody, cpu: { id: 'cpu3c' } }, 422],
  [{ ...cpuBody, cpu: { id: 'cpu3c', vcpuCount: 1 } }, 422],
  [{ ...cpuBody, cpu: { id: 'cpu3c', vcpuCount: 6 } }, 422],
  [{ ...cpuBody, cpu: { id: 'cpu3c', vcpuCount: 6 } }, 400, { vcpuPower: 400 }],
  [{ ...cpuBody, cpu: { id: 'cpu3c', vcpuCount: 64 } }, 400],
  [{ ...cpuBody, cpu: { id: 'cpu3c', vcpuCount: 64 } }, 422, { vcpuOffered: 422 }],
  [{ ...cpuBody, cpu: { id: 'cpu3c', vcpuCount: 2, memory: 0 } }, 422],
  [{ ...cpuBody, cpu: { id: 'cpu3c', vcpuCount: 2, memory: 4 } }, 400, { cpuMemory: 'refused-400' }],
  [{ ...cpuBody, cpu: { id: 'cpu3c', vcpuCount: 2, memory: 4 } }, 422, { cpuMemory: 'refused-422' }],
  [cpuBody, 422, { cpuMemory: 'required' }],
  [{ ...cpuBody, cpu: { id: 'unknown', vcpuCount: 2 } }, 400],
  [{ ...cpuBody, cpu: { id: 'unknown', vcpuCount: 2 } }, 404, { unknownFlavor: 404 }],
  [{ ...cpuBody, mounts: { persistent } }, 400],
  [{ ...cpuBody, mounts: { persistent } }, 422, { cpuPersistent: 422 }],
  [{ ...gpuBody, mounts: { persistent, network } }, 400],
  [{ ...gpuBody, mounts: { network: [] } }, 400],
  [{ ...gpuBody, mounts: { network: [...network, ...network] } }, 422],
  [{ ...gpuBody, mounts: { network: [...network, ...network] } }, 400, { twoNetworks: 400 }],
  [{ ...gpuBody, mounts: { persistent: { size: 9, path: '/a' } } }, 422],
  [{ ...gpuBody, mounts: { persistent: { size: 10 } } }, 422],
  [{ ...gpuBody, mounts: { network: [{ path: '/a' }] } }, 422],
  [{ ...gpuBody, mounts: { network: [{ ...network[0], x: 1 }] } }, 422],
  [{ ...gpuBody, mounts: { network: [{ volumeId: 'unknown', path: '/a' }] } }, 400],
  [{ ...gpuBody, mounts: { network: [{ volumeId: 'unknown', path: '/a' }] } }, 404, { unknownVolume: 404 }],
  [{ ...networkBody, dataCenterIds: ['dc-2'] }, 400],
  [{ ...networkBody, dataCenterIds: ['dc-2'] }, 422, { volumeElsewhere: 422 }],
  [{ ...gpuBody, dataCenterIds: ['unknown'] }, 400],
  ['{', 400],
])('%j is %i %o, and leaves no pod behind', async (body, status, style = {}) => {
  const { call } = createBench({ style })
  expect(await call('POST', '/v2/pods', { body })).toMatchObject({ status, body: { status } })
  expect(await call('GET', '/v2/pods')).toMatchObject({ body: { pods: [] } })
})

test.each<[object, string, Partial<Style>?]>([
  [gpuBody, 'dc-1'],
  [{ ...gpuBody, dataCenterIds: ['dc-2', 'dc-1'] }, 'dc-2'],
  [{ ...gpuBody, dataCenterIds: [] }, 'dc-1'],
  [{ ...gpuBody, mounts: { network: [{ volumeId: 'vol-3', path: '/a' }] } }, 'dc-2'],
  [{ ...networkBody, dataCenterIds: ['dc-2', 'dc-1'] }, 'dc-1'],
  [{ ...networkBody, dataCenterIds: ['dc-2'] }, 'dc-1', { volumeElsewhere: 'volume-wins' }],
])('%j runs in %s %o', async (body, dataCenterId, style = {}) => {
  const answer = await createBench({ style }).call('POST', '/v2/pods', { body })
  expect(answer).toMatchObject({ status: 201, body: { dataCenterId } })
})

test('a pod shows the template that it was created from, which has to exist', async () => {
  const { call } = createBench()
  const body = { ...gpuBody, template: 'tpl-worker' }
  expect(await call('POST', '/v2/pods', { body })).toMatchObject({ status: 201, body: { template: 'tpl-worker' } })
  expect(await call('POST', '/v2/pods', { body: { ...body, template: 'tpl-none' } })).toMatchObject({ status: 400 })
})

test('a volume of another user is as unknown as one that does not exist', async () => {
  const { call } = createBench()
  expect(await call('POST', '/v2/pods', { body: networkBody, key: 'stranger' })).toMatchObject({ status: 400 })
})

test('a pod without gpu and cpu gets a default by style', async () => {
  const { call } = createBench({ style: { neitherGpuNorCpu: 'default-gpu' } })
  const answer = await call('POST', '/v2/pods', { body: { name: 'a', image: 'b' } })
  expect(answer).toMatchObject({ status: 201, body: { gpu: { id: 'gpu-a', count: 1 } } })
})

test('where capacity is used up, creation and start are 400 until some is free', async () => {
  const { act, call, create, running } = createBench({ capacity: 1 })
  const id = await running()
  expect(await call('POST', '/v2/pods', { body: gpuBody })).toMatchObject({
    status: 400,
    body: { detail: 'no capacity' },
  })
  await act(id, 'stop')
  const other = await create(persistentBody)
  expect(await act(id, 'start')).toMatchObject({ status: 400 })
  await act(other, 'terminate')
  expect(await act(id, 'start')).toMatchObject({ status: 200 })
})

test('the list holds the pods of the caller, oldest first, and the catalog every flavor', async () => {
  const { call, create } = createBench()
  const ids = [await create(), await create(cpuBody)]
  await create(gpuBody, { key: 'stranger' })
  const list = await call('GET', '/v2/pods')
  expect(validators.PodList(list.body)).toBe(true)
  expect(list).toMatchObject({ status: 200, body: { pods: ids.map((id) => ({ id })) } })
  const catalog = await call('GET', '/v2/catalog/cpus')
  expect(validators.CpuFlavorList(catalog.body)).toBe(true)
  expect(catalog).toMatchObject({ status: 200, body: { cpus: [{ id: 'cpu3c' }, { id: 'cpu3m' }] } })
})
