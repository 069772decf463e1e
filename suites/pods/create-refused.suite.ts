import { mutate } from '../../harness/common/mutate.ts'
import { type Members, membersOf } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/fixtures/types.ts'
import { put, refusals, refusedWith, type Wrong } from '../shared/table.ts'
import { creation } from './creation.ts'

const gpu = creation(() => [{ kind: 'gpu' }])
const cpu = creation(() => [{ kind: 'cpu' }])
const network = creation(() => [{ mount: 'network' }])
const persistent = creation(() => [{ mount: 'persistent' }])
const mounted = creation((has) => [
  { mount: 'network' },
  ...(has('pods.persistent') ? [{ mount: 'persistent' } as const] : []),
])

refusals('pods.create.both-mounts', {
  arrange: creation(() => [{ kind: 'gpu', mount: 'network' } satisfies PodShape]),
  cases: { both: (valid, { pods }) => put('mounts.persistent', pods?.persistent)(valid) },
  statuses: [400],
})

refusals('pods.create.empty-network', {
  arrange: creation(() => [{ mount: 'none' }]),
  cases: { 'empty list': { mounts: { network: [] } } },
  statuses: [400],
})

refusals('pods.create.two-networks', {
  arrange: network,
  cases: {
    'two networks': ({ mounts, ...rest }) => {
      const [own] = networksIn(mounts)
      return { ...rest, mounts: { network: [own, { ...own, path: `${own?.path}-c` }] } }
    },
  },
  statuses: [400, 422],
})

refusals('pods.create.cpu-persistent', {
  arrange: creation(() => [{ kind: 'cpu', mount: 'none' }]),
  cases: { persistent: { mounts: { persistent: { size: 10, path: '/workspace' } } } },
  statuses: [400, 422],
})

refusals('pods.create.mount-size', {
  arrange: persistent,
  cases: {
    nine: put('mounts.persistent.size', 9),
    zero: put('mounts.persistent.size', 0),
    fraction: put('mounts.persistent.size', 10.5),
    text: put('mounts.persistent.size', '10'),
    missing: put('mounts.persistent.size'),
  },
  statuses: [422],
})

refusals('pods.create.mount-path', {
  arrange: mounted,
  cases: { missing: inMount('path'), null: inMount('path', null) },
  statuses: [422],
})

refusals('pods.create.mount-volume', {
  arrange: network,
  cases: { missing: inMount('volumeId'), null: inMount('volumeId', null) },
  statuses: [422],
})

refusals('pods.create.mount-extra', {
  arrange: mounted,
  cases: { 'in mounts': put('mounts.plumbline', true), 'in the mount': inMount('plumbline', true) },
  statuses: [422],
})

refusals('pods.create.volume-unknown', {
  arrange: network,
  cases: { unknown: (valid, { pods }) => inMount('volumeId', mutate(pods?.volume ?? ''))(valid) },
  statuses: ['4xx'],
})

refusals('pods.create.disk', {
  arrange: creation(),
  cases: { zero: { disk: 0 }, negative: { disk: -1 }, fraction: { disk: 20.5 }, text: { disk: '20' } },
  statuses: [422],
})

refusals('pods.create.gpu-count', {
  arrange: gpu,
  cases: {
    zero: put('gpu.count', 0),
    negative: put('gpu.count', -1),
    fraction: put('gpu.count', 1.5),
    text: put('gpu.count', '1'),
    'no id': put('gpu.id'),
  },
  statuses: [422],
})

refusals('pods.create.vcpu', {
  arrange: cpu,
  cases: {
    zero: refusedWith([422], put('cpu.vcpuCount', 0)),
    one: refusedWith([422], put('cpu.vcpuCount', 1)),
    three: put('cpu.vcpuCount', 3),
    six: put('cpu.vcpuCount', 6),
    'not offered': refusedWith(['4xx'], put('cpu.vcpuCount', 2 ** 20)),
  },
  statuses: [400, 422],
})

refusals('pods.create.cpu-memory', {
  arrange: cpu,
  cases: {
    zero: ifMemory(put('cpu.memory', 0)),
    negative: ifMemory(put('cpu.memory', -1)),
    'empty id': put('cpu.id', ''),
    'no id': put('cpu.id'),
    'unknown flavor': refusedWith(['4xx'], put('cpu.id', 'plumbline-none')),
  },
  statuses: [422],
})

refusals('pods.create.cpu-required', {
  arrange: cpu,
  cases: {
    'no vcpuCount': put('cpu.vcpuCount'),
    fraction: put('cpu.vcpuCount', 2.5),
    text: put('cpu.vcpuCount', '2'),
    'no memory': refusedWith([422, '2xx'], put('cpu.memory')),
  },
  statuses: [422],
})

refusals('pods.create.gpu-and-cpu', {
  arrange: creation(() => [{ kind: 'cpu' }]),
  cases: { both: (valid, { pods }) => ({ ...valid, gpu: pods?.gpu }) },
  statuses: ['4xx'],
})

refusals('pods.create.neither', {
  arrange: creation(() => [{ mount: 'none' }]),
  cases: { neither: ({ gpu: _, cpu: __, ...rest }) => rest },
  statuses: ['4xx', '2xx'],
})

refusals('pods.create.env', {
  arrange: creation(),
  cases: { number: put('env.PLUMBLINE', 7), null: put('env.PLUMBLINE', null), object: put('env.PLUMBLINE', {}) },
  statuses: [422],
})

refusals('pods.create.ports', {
  arrange: creation(),
  cases: { 'no protocol': { ports: ['8888'] }, 'no port': { ports: ['/http'] }, 'a word': { ports: ['http'] } },
  statuses: [400, 422],
})

refusals('pods.create.port-range', {
  arrange: creation(),
  cases: {
    zero: { ports: ['0/http'] },
    'too great': { ports: ['65536/http'] },
    'far too great': { ports: ['99999/tcp'] },
  },
  statuses: [400, 422],
})

refusals('pods.create.cloud', {
  arrange: creation(),
  cases: {
    unknown: { cloud: 'PRIVATE' },
    'another case': { cloud: 'secure' },
    empty: { cloud: '' },
    number: { cloud: 7 },
  },
  statuses: [422],
})

refusals('pods.create.not-json', {
  arrange: creation(),
  cases: {
    truncated: { text: (json) => json.slice(0, -1) },
    'trailing garbage': { text: (json) => `${json} and more` },
    'trailing comma': { text: (json) => `${json.slice(0, -1)},}` },
    'single quotes': { text: (json) => json.replaceAll('"', "'") },
  },
  statuses: [400],
})

/** Puts a value into the mount of a body, whichever kind it is. */
function inMount(name: string, value?: unknown): (valid: Members) => unknown {
  return (valid) => {
    const isNetwork = membersOf(valid.mounts)?.network !== undefined
    return put(isNetwork ? `mounts.network.0.${name}` : `mounts.persistent.${name}`, value)(valid)
  }
}

/** A case for targets whose creations name the memory. */
function ifMemory(wrong: (valid: Members) => unknown): Wrong {
  return (valid) => (membersOf(valid.cpu)?.memory === undefined ? null : wrong(valid))
}

function networksIn(mounts: unknown): readonly { readonly path?: unknown }[] {
  const { network } = membersOf(mounts) ?? {}
  return Array.isArray(network) ? network : []
}
