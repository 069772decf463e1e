import { describe, expect, test } from 'vitest'
import { podRequired } from '../../generated/tables.ts'
import type { Members } from '../../harness/exchange/read.ts'
import { shapeTables, shownOf } from './shape-table.ts'
import { actionFlaws, missingFields, mountFlaws } from './shapes.ts'
import '../pods/shape.suite.ts'

const tableOf = (id: string) => shapeTables.find((one) => one.id === id)?.table ?? expect.fail(id)
const typeFlaws = (value: Members) =>
  shapeTables.filter(({ table }) => table.of === 'pod').flatMap(({ table }) => shownOf(value, table).findings)
const mountTypeFlaws = (kind: 'network' | 'persistent', mounts: Members) =>
  shownOf(mounts, tableOf(`pods.shape.${kind}`)).findings
const envFlaws = (env: unknown) => shownOf({ env }, tableOf('pods.shape.env'))
const timeFlaws = (times: Members) => shownOf(times, tableOf('pods.shape.times')).findings

const pod = {
  id: 'p',
  name: 'n',
  status: 'RUNNING',
  actions: ['stop', 'restart', 'terminate'],
  image: 'i',
  args: '',
  disk: 10,
  ports: ['80/http'],
  env: { A: 'b' },
  registry: null,
  mounts: { network: [{ volumeId: 'v', path: '/w' }] },
  gpu: { id: 'g', count: 1, displayName: 'more is allowed' },
  cloud: 'SECURE',
  dataCenterId: 'dc',
  template: null,
  cost: 0.44,
  locked: false,
  globalNetworking: { enabled: false },
  runtime: { uptime: 1, gpus: [{ util: 1 }], cpu: {}, ports: [{ private: 80, public: null, type: 'tcp', ip: null }] },
  createdAt: '2026-01-01T00:00:00Z',
  startedAt: null,
}

test('a pod as described has no flaw', () => {
  expect(podRequired).toHaveLength(20)
  expect(missingFields(pod)).toEqual([])
  expect(typeFlaws(pod)).toEqual([])
  expect(actionFlaws(pod)?.findings).toEqual([])
  expect(mountFlaws(pod.mounts).findings).toEqual([])
  expect(envFlaws(pod.env).findings).toEqual([])
  expect(timeFlaws(pod)).toEqual([])
  expect(shownOf(pod, tableOf('pods.shape.types')).exercised).not.toContain('cpu')
})

test.each([
  [null, ['null']],
  [[], ['an array']],
  [undefined, ['nothing']],
  [{ ...pod, registry: undefined }, []],
  [Object.fromEntries(Object.entries(pod).filter(([name]) => name !== 'locked')), ['no locked']],
])('fields missing in %j', (value, observed) => {
  expect(missingFields(value).map((flaw) => flaw.observed)).toEqual(observed)
})

test.each([
  [{ id: 7 }, 'id', 'id: a string that is not empty and that an address can hold', 'id: 7'],
  [{ status: 'BOOTING' }, 'status', expect.stringContaining('RUNNING'), 'status: "BOOTING"'],
  [{ disk: 0 }, 'disk', 'disk: an integer from 1', 'disk: 0'],
  [{ disk: 1.5 }, 'disk', 'disk: an integer from 1', 'disk: 1.5'],
  [{ ports: ['80/http', 80] }, 'ports', 'ports[]: a port and a protocol, such as 80/http', 'ports[]: a number'],
  [{ registry: 1 }, 'registry', 'registry: a string or null', 'registry: 1'],
  [{ mounts: [] }, 'mounts', 'mounts: an object', 'mounts: an array'],
  [{ gpu: null }, 'gpu', 'gpu: an object', 'gpu: null'],
  [{ cpu: { id: '', vcpuCount: 2, memory: 4 } }, 'cpu', 'cpu.id: a string that is not empty', 'cpu.id: ""'],
  [{ dataCenterId: 1 }, 'data-center-id', 'dataCenterId: a string or null', 'dataCenterId: 1'],
  [
    { globalNetworking: {} },
    'global-networking',
    'globalNetworking.enabled: a boolean',
    'globalNetworking.enabled: nothing',
  ],
  [{ cpu: { id: 'c', vcpuCount: 6, memory: 4 } }, 'cpu', 'cpu.vcpuCount: a power of two from 2', 'cpu.vcpuCount: 6'],
  [{ runtime: [] }, 'runtime', 'runtime: an object', 'runtime: an array'],
  [
    { runtime: { cpu: { util: 101 } } },
    'runtime',
    'runtime.cpu.util: an integer from 0 to 100',
    'runtime.cpu.util: 101',
  ],
])('a field of another type: %j', (change, clause, expected, observed) => {
  expect(typeFlaws({ ...pod, ...change })).toEqual([{ clause, expected, observed }])
})

test('a mount of another type', () => {
  expect(mountTypeFlaws('network', { network: {} })).toMatchObject([{ observed: 'network: an object' }])
  expect(mountTypeFlaws('persistent', { persistent: null })).toMatchObject([{ observed: 'persistent: null' }])
})

test.each([
  [{ ports: [] }, []],
  [{ runtime: {} }, []],
  [{ runtime: { ports: [], host: 'a' } }, []],
  [{ runtime: { uptime: 0 } }, ['runtime']],
  [{ ports: ['80/http'] }, ['ports']],
  [{ ports: {} }, ['ports']],
  [{ env: {} }, []],
  [{ mounts: {}, template: null }, ['mounts', 'template']],
])('%j has something to judge for the clauses %j', (value, clauses) => {
  const podTables = shapeTables.filter(({ table }) => table.of === 'pod')
  expect(podTables.flatMap(({ table }) => shownOf(value, table).exercised)).toEqual(clauses)
})

test('a whole number may be written with a fraction of zero', () => {
  expect(typeFlaws({ ...pod, disk: JSON.parse('10.0') })).toEqual([])
})

describe('actions', () => {
  test.each([
    [{ actions: ['terminate', 'stop', 'restart'] }, []],
    [{ actions: ['terminate'], locked: true }, []],
    [{ actions: [], locked: true }, []],
    [{ actions: ['start'], locked: true }, ['start while RUNNING']],
    [{ actions: ['terminate'] }, ['terminate while RUNNING']],
    [{ actions: [] }, ['none while RUNNING']],
    [{ actions: ['stop', 'restart', 'terminate', 'stop'] }, ['an action twice']],
    [{ actions: ['start', 'stop', 'restart', 'terminate'] }, ['restart, start, stop, terminate while RUNNING']],
    [{ actions: ['stop', 'restart', null] }, ['null, restart, stop while RUNNING']],
    [{ actions: null }, ['null']],
    [{ actions: 'stop' }, ['"stop"']],
    [{ status: 'EXITED', actions: ['start', 'terminate'] }, []],
  ])('%j', (change, observed) => {
    expect(actionFlaws({ ...pod, ...change })?.findings.map((flaw) => flaw.observed)).toEqual(observed)
  })

  test.each([
    [{ status: 'TERMINATED' }],
    [{ status: 'BOOTING' }],
    [{ status: 'constructor' }],
    [{ actions: undefined }],
  ])('%j says nothing', (change) => {
    expect(actionFlaws({ ...pod, ...change })).toBeNull()
  })
})

test.each([
  [{}, []],
  [{ network: [] }, []],
  [{ persistent: { size: 10, path: '/a' }, network: [] }, []],
  [{ persistent: {}, network: [{}] }, ['one-kind: persistent and network']],
  [{ network: [{}, {}] }, ['one-entry: 2 network mounts']],
  [{ local: 1 }, ['closed: mounts.local']],
  [{ persistent: { used: 1 } }, ['closed: mounts.persistent.used']],
  [{ network: [{ id: 1 }] }, ['closed: mounts.network[].id']],
  [{ network: ['odd', null] }, ['one-entry: 2 network mounts']],
])('mounts %j', (mounts, observed) => {
  expect(mountFlaws(mounts).findings.map((flaw) => `${flaw.clause}: ${flaw.observed}`)).toEqual(observed)
})

test.each([
  [{}, []],
  [{ A: '' }, []],
  [{ A: 1, B: null }, ['env: env.*: 1']],
  [null, ['env: env: null']],
  [[], ['env: env: an array']],
])('env %j', (env, observed) => {
  expect(envFlaws(env).findings.map((flaw) => `${flaw.clause}: ${flaw.observed}`)).toEqual(observed)
})

test.each([
  [{ createdAt: '2026-01-01', startedAt: null }, ['created-at: createdAt: another text']],
  [{ createdAt: null, startedAt: 5 }, ['created-at: createdAt: null', 'started-at: startedAt: a number']],
  [{}, []],
])('times %j', (times, observed) => {
  expect(timeFlaws(times).map((flaw) => `${flaw.clause}: ${flaw.observed}`)).toEqual(observed)
})

describe('a clause counts where it has something to show', () => {
  test.each([
    [{}, ['closed']],
    [{ network: [] }, ['one-kind', 'closed']],
    [{ network: [{}] }, ['one-kind', 'closed', 'one-entry']],
    [{ persistent: {} }, ['one-kind', 'closed']],
  ])('mounts %j', (mounts, clauses) => {
    expect(mountFlaws(mounts).exercised).toEqual(clauses)
  })

  test.each([
    [['stop'], ['permitted', 'repeats']],
    [[], ['permitted']],
    [null, ['permitted']],
  ])('actions %j', (actions, clauses) => {
    expect(actionFlaws({ ...pod, actions })?.exercised).toEqual(clauses)
  })
})
