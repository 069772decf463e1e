import { expect, test } from 'vitest'
import type { Style } from '../style.ts'
import { cpuBody, createBench, gpuBody, networkBody, persistentBody } from '../testing/bench.ts'

const persistent = { size: 20, path: '/other' }
const network = [{ volumeId: 'vol-1', path: '/other' }]
const bodies = { bare: gpuBody, cpu: cpuBody, network: networkBody, persistent: persistentBody }
type Kind = keyof typeof bodies

test('PATCH changes what it names, answers the whole pod, and may be repeated', async () => {
  const { create, get, patch } = createBench()
  const id = await create()
  const { body: before } = await get(id)
  const fields = {
    name: 'other',
    image: 'other:2',
    args: '-v',
    disk: 30,
    ports: ['1/udp'],
    env: { B: '2' },
    registry: 'r-1',
    locked: true,
  }
  const { status, body } = await patch(id, { ...fields, globalNetworking: true })
  expect(status).toBe(200)
  expect(body).toEqual({
    ...before,
    ...fields,
    globalNetworking: { enabled: true, ip: '10.0.0.1', internalDns: `${id}.pods.internal` },
  })
  expect((await patch(id, fields)).body).toEqual(body)
  expect((await patch(id, {})).body).toEqual(body)
  expect((await get(id)).body).toEqual(body)
})

test.each<[Kind, object]>([
  ['network', { name: 'n' }],
  ['persistent', { name: 'n' }],
  ['bare', { name: 'n' }],
  ['network', { name: 'n', mounts: {} }],
  ['persistent', { name: 'n', mounts: {} }],
  ['bare', { name: 'n', mounts: {} }],
])('a %s pod keeps its mount on %j', async (kind, body) => {
  const { create, get, patch } = createBench()
  const id = await create(bodies[kind])
  const { body: before } = await get(id)
  expect(await patch(id, body)).toMatchObject({ status: 200, body: { name: 'n', mounts: before?.mounts } })
})

test.each<[Kind, object]>([
  ['network', { network }],
  ['persistent', { persistent }],
  ['persistent', { persistent: { size: 40, path: '/other' } }],
])('a %s pod takes %j', async (kind, mounts) => {
  const { create, get, patch } = createBench()
  const id = await create(bodies[kind])
  expect(await patch(id, { mounts })).toMatchObject({ status: 200 })
  expect((await get(id)).body?.mounts).toEqual(mounts)
})

test.each<[Kind, unknown, number, Partial<Style>?]>([
  ['network', { network: [] }, 400],
  ['persistent', { network: [] }, 400],
  ['bare', { network: [] }, 400],
  ['cpu', { network: [] }, 400],
  ['network', { persistent }, 400],
  ['persistent', { network }, 400],
  ['bare', { network }, 400],
  ['bare', { persistent }, 400],
  ['cpu', { persistent }, 400],
  ['cpu', { persistent }, 422, { cpuPersistent: 422 }],
  ['network', { persistent, network }, 400],
  ['network', { network: [{ volumeId: 'vol-2', path: '/work' }] }, 400],
  ['network', { network: [...network, ...network] }, 422],
  ['network', { network: [...network, ...network] }, 400, { twoNetworks: 400 }],
  ['network', { network: [{ volumeId: 'vol-1' }] }, 422],
  ['network', { network: [{ path: '/a' }] }, 422],
  ['network', { network: [{ ...network[0], x: 1 }] }, 422],
  ['network', { network: {} }, 422],
  ['network', { x: 1 }, 422],
  ['network', [], 422],
  ['network', null, 422],
  ['network', null, 400, { patchNull: 400 }],
  ['network', { network: null }, 422],
  ['network', { network: null }, 400, { patchNull: 400 }],
  ['persistent', { persistent: { size: 20 } }, 422],
  ['persistent', { persistent: { path: '/a' } }, 422],
  ['persistent', { persistent: { size: 9, path: '/a' } }, 422],
  ['persistent', { persistent: { size: '20', path: '/a' } }, 422],
  ['persistent', { persistent: { size: 40, path: '/a' } }, 400, { patchPersistentSize: 400 }],
])(
  'a %s pod refuses mounts %j with %i %o, and nothing of the PATCH is done',
  async (kind, mounts, status, style = {}) => {
    const { create, get, patch } = createBench({ style })
    const id = await create(bodies[kind])
    const before = await get(id)
    expect(await patch(id, { name: 'other', mounts })).toMatchObject({ status, body: { status } })
    expect((await get(id)).body).toEqual(before.body)
  },
)

test.each([{ mounts: null }, { mounts: { network: null } }, { mounts: { network: null, persistent: null } }])(
  'by style, null is taken as left out: %j',
  async (mounts) => {
    const { create, patch } = createBench({ style: { patchNull: 'omitted' } })
    const id = await create(networkBody)
    expect(await patch(id, { name: 'n', ...mounts })).toMatchObject({
      status: 200,
      body: { name: 'n', mounts: networkBody.mounts },
    })
  },
)

test.each([{ disk: 0 }, { unknown: 1 }, { gpu: { id: 'gpu-a' } }, { ports: ['0/tcp'] }, { locked: 1 }])(
  'PATCH with %j is 422 and changes nothing',
  async (wrong) => {
    const { create, get, patch } = createBench()
    const id = await create()
    expect(await patch(id, { name: 'other', ...wrong })).toMatchObject({ status: 422 })
    expect(await get(id)).toMatchObject({ body: { name: 'trainer' } })
  },
)

test('by style, a changed image restarts the container and an unchanged one does not', async () => {
  const { get, pass, patch, running } = createBench({ style: { patchRestarts: 'container' } })
  const id = await running()
  pass(4000)
  await patch(id, { name: 'n', image: gpuBody.image })
  expect(await get(id)).toMatchObject({ body: { runtime: { uptime: 4 } } })
  expect(await patch(id, { image: 'other:2' })).toMatchObject({ body: { status: 'RUNNING', runtime: { uptime: 0 } } })
})
