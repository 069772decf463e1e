import { constraints } from '../../generated/tables.ts'
import { mutate } from '../../harness/common/mutate.ts'
import { type Members, membersOf } from '../../harness/exchange/read.ts'
import { mountedStates } from '../shared/patching.ts'
import { anyOf, likeOther, needing, put, refusals, refusedWith } from '../shared/table.ts'
import { inMount, inNetwork, inPersistent, networksIn, twoNetworks } from './arrangements.ts'
import { creation } from './creation.ts'

const gpu = creation({ kind: 'gpu' })
const cpu = creation({ kind: 'cpu' })
/** Creations of CPU pods. Inconclusive at the end if the target claims that they name the memory, and refuses it. */
const cpuOfMemory: typeof cpu = {
  ...cpu,
  async begin(context, shape) {
    const { inconclusive, part } = context
    const arranged = await cpu.begin(context, shape)
    return {
      ...arranged,
      async expectNoEffect() {
        await arranged.expectNoEffect()
        const isNamed = membersOf((await arranged.valid()).cpu)?.memory !== undefined
        if (part('pods.memory') && !isNamed)
          inconclusive('a creation that names the memory of a CPU is refused; add absent: {pods.memory: REASON}')
      },
    }
  },
}
const network = creation({ mount: 'network' })
const persistent = creation({ mount: 'persistent' })
const mounted = creation(mountedStates)

refusals('pods.create.both-mounts', creation({ kind: 'gpu', mount: 'network' }), constraints.bothMounts, {
  both: (valid, { pods }) => networksIn(valid)[0] && put('mounts.persistent', pods?.persistent)(valid),
  'persistent and an empty list': (valid, { pods }) => ({
    ...valid,
    mounts: { persistent: pods?.persistent, network: [] },
  }),
})

refusals('pods.create.empty-network', creation({ mount: 'none' }), constraints.emptyNetwork, {
  'empty list': { mounts: { network: [] } },
})

refusals('pods.create.two-networks', network, constraints.twoNetworks, { 'two networks': twoNetworks })

refusals('pods.create.cpu-persistent', creation({ kind: 'cpu', mount: 'none' }), constraints.cpuPersistent, {
  persistent: { mounts: { persistent: { size: 10, path: '/workspace' } } },
})

refusals('pods.create.mount-size', persistent, [422], {
  nine: inPersistent('size', 9),
  zero: inPersistent('size', 0),
  fraction: inPersistent('size', 10.5),
  text: inPersistent('size', '10'),
  missing: inPersistent('size'),
  'another type': anyOf({
    true: inPersistent('size', true),
    list: inPersistent('size', [10]),
    object: inPersistent('size', {}),
    negative: inPersistent('size', -10),
    'small fraction': inPersistent('size', 10.000001),
  }),
})

refusals('pods.create.mount-path', mounted, [422], { missing: inMount('path'), null: inMount('path', null) })

refusals('pods.create.mount-volume', network, [422], {
  missing: inNetwork('volumeId'),
  null: inNetwork('volumeId', null),
})

refusals('pods.create.mount-extra', mounted, [422], {
  'in mounts': put('mounts.plumbline', true),
  'in another way': anyOf({
    'a mount of an unknown kind': put('mounts.plumbline', {}),
    'true in the mount': inMount('plumbline', true),
    'false in the mount': inMount('plumbline', false),
    'empty text in the mount': inMount('plumbline', ''),
  }),
})

refusals('pods.create.volume-unknown', network, ['4XX'], {
  unknown: (valid, { pods }) => inNetwork('volumeId', mutate(pods?.volume ?? ''))(valid),
  'like a volume': anyOf(
    likeOther(
      (change) =>
        (valid, { pods }) =>
          inNetwork('volumeId', change(pods?.volume ?? ''))(valid),
    ),
  ),
})

refusals('pods.create.disk', creation(), [422], {
  zero: { disk: 0 },
  negative: { disk: -1 },
  fraction: { disk: 20.5 },
  text: { disk: '20' },
  'another type': anyOf({
    true: { disk: true },
    list: { disk: [20] },
    object: { disk: { size: 20 } },
    'with a unit': { disk: '20GB' },
    'small fraction': { disk: 1.000001 },
  }),
})

refusals('pods.create.gpu-count', gpu, [422], {
  zero: put('gpu.count', 0),
  negative: put('gpu.count', -1),
  fraction: put('gpu.count', 1.5),
  text: put('gpu.count', '1'),
  'no id': put('gpu.id'),
  'another type': anyOf({
    true: put('gpu.count', true),
    list: put('gpu.count', [1]),
    object: put('gpu.count', {}),
    'empty text': put('gpu.count', ''),
    'small fraction': put('gpu.count', 1.000001),
  }),
})

refusals('pods.create.vcpu', cpu, [400, 422], {
  zero: refusedWith([422], put('cpu.vcpuCount', 0)),
  one: refusedWith([422], vcpus(1)),
  three: vcpus(3),
  'no power of two': anyOf({ six: vcpus(6), twelve: vcpus(12), 'twenty-four': vcpus(24) }),
  'not offered': refusedWith(['4XX'], vcpus(2 ** 20)),
})

refusals('pods.create.cpu-memory', cpuOfMemory, [422], {
  zero: needing('pods.memory', ifMemory(put('cpu.memory', 0))),
  negative: needing('pods.memory', ifMemory(put('cpu.memory', -1))),
  'empty id': put('cpu.id', ''),
  'no id': put('cpu.id'),
  // Only a list of flavors tells which are known.
  'unknown flavor': { needs: 'catalog', ...refusedWith(['4XX'], put('cpu.id', 'plumbline-none')) },
})

refusals('pods.create.cpu-required', cpuOfMemory, [422], {
  'no vcpuCount': put('cpu.vcpuCount'),
  fraction: put('cpu.vcpuCount', 2.5),
  text: put('cpu.vcpuCount', '2'),
  'no memory': { needs: 'pods.memory', ...refusedWith([422, '2XX'], put('cpu.memory')) },
})

refusals('pods.create.gpu-and-cpu', creation({ kind: 'cpu' }), constraints.gpuAndCpu, {
  both: (valid, { pods }) => ({ ...valid, gpu: pods?.gpu }),
})

refusals('pods.create.neither', creation({ mount: 'none' }), constraints.neitherGpuNorCpu, {
  neither: ({ gpu: _, cpu: __, ...rest }) => rest,
})

refusals('pods.create.env', creation(), [422], {
  number: put('env.PLUMBLINE', 7),
  null: put('env.PLUMBLINE', null),
  object: put('env.PLUMBLINE', {}),
  'the second of two': { env: { PLUMBLINE: '1', PLUMBLINE_SECOND: 7 } },
  'another type': anyOf({
    true: put('env.PLUMBLINE', true),
    false: put('env.PLUMBLINE', false),
    zero: put('env.PLUMBLINE', 0),
    list: put('env.PLUMBLINE', ['a']),
    fraction: put('env.PLUMBLINE', 0.5),
  }),
})

refusals('pods.create.ports', creation(), constraints.portForm, {
  'no protocol': { ports: ['8888'] },
  'no port': { ports: ['/http'] },
  'a word': { ports: ['http'] },
  'the second of two': { ports: ['8888/http', '9999'] },
  'like a port': anyOf({
    empty: { ports: [''] },
    'two slashes': { ports: ['8888/http/tcp'] },
    'no number': { ports: ['port/http'] },
    reversed: { ports: ['http/8888'] },
    'another separator': { ports: ['8888:http'] },
  }),
})

refusals('pods.create.port-range', creation(), [400, 422], {
  zero: { ports: ['0/http'] },
  'too great': { ports: ['65536/http'] },
  'far too great': { ports: ['99999/tcp'] },
  'the second of two': { ports: ['8888/http', '65536/http'] },
})

refusals('pods.create.cloud', creation(), [422], {
  unknown: { cloud: 'PRIVATE' },
  'another case': { cloud: 'secure' },
  empty: { cloud: '' },
  number: { cloud: 7 },
  'like a cloud': anyOf({
    padded: { cloud: ' SECURE' },
    capitalised: { cloud: 'Community' },
    both: { cloud: 'SECURE,COMMUNITY' },
    list: { cloud: ['SECURE'] },
    true: { cloud: true },
  }),
})

refusals('pods.create.not-json', creation(), [400], {
  truncated: { text: (json) => json.slice(0, -1) },
  'trailing garbage': { text: (json) => `${json} and more` },
  'trailing comma': { text: (json) => `${json.slice(0, -1)},}` },
  'single quotes': { text: (json) => json.replaceAll('"', "'") },
})

/** Another number of vCPUs with the same memory for each, because a flavor may bind the memory to their number. */
function vcpus(count: number): (valid: Members) => unknown {
  return (valid) => {
    const own = membersOf(valid.cpu) ?? {}
    const { memory, vcpuCount } = own
    const isKnown = typeof memory === 'number' && typeof vcpuCount === 'number'
    const more = isKnown ? { memory: Math.ceil((memory / vcpuCount) * count) } : {}
    return { ...valid, cpu: { ...own, vcpuCount: count, ...more } }
  }
}

/** A case for targets whose creations name the memory. */
function ifMemory(wrong: (valid: Members) => unknown): (valid: Members) => unknown {
  return (valid) => (membersOf(valid.cpu)?.memory === undefined ? undefined : wrong(valid))
}
