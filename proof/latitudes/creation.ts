import type { PodCreate } from '../../generated/api.ts'
import type { StoredPod } from '../../reference/index.ts'
import { exchanges, is, jsonOf, making, onJson, part, refusing } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, plane, reads, styled, verdict } from './tools.ts'

const members: ReadonlySet<string> = new Set([
  ...['name', 'image', 'args', 'disk', 'ports', 'env', 'registry', 'mounts', 'gpu', 'cpu'],
  ...['cloud', 'dataCenterIds', 'globalNetworking', 'template'],
])

/** Freedoms of a creation: its bodies, its response, its defaults, and the wording of a lack of capacity. */
export const creation: readonly Latitude[] = [
  latitude('creation-refuses-400', 'Whatever is wrong with a creation is 400.', {
    about: 'memory of CPU pods',
    style: { vcpuPower: 400, cpuMemory: 'refused-400', portForm: 400, portRange: 400 },
    file: (target) => ({ ...target, absent: { ...target.absent, 'pods.memory': 'it follows from the flavor' } }),
    readings: reads('pods.create.cpu-required', null, ['no memory']),
  }),
  styled('creation-refuses-404', 'A creation that names what does not exist is 404.', {
    unknownVolume: 404,
    unknownDataCenter: 404,
    unknownGpu: 404,
    unknownFlavor: 404,
  }),
  latitude('creation-refuses-422', 'Whatever is wrong with a creation is 422.', {
    about: 'memory of CPU pods',
    style: {
      unknownVolume: 422,
      unknownDataCenter: 422,
      unknownGpu: 422,
      unknownFlavor: 422,
      volumeElsewhere: 422,
      gpuAndCpu: 422,
      neitherGpuNorCpu: 422,
      vcpuOffered: 422,
      cpuMemory: 'refused-422',
    },
    // The target file does not say that memory is refused.
    verdicts: verdict('inconclusive', ['pods.create.cpu-memory', 'pods.create.cpu-required']),
    readings: {
      ...reads('pods.create.cpu-required', null, ['no memory']),
      ...reads('pods.create.neither', '422', ['neither']),
      ...reads('pods.create.volume-elsewhere', '422', ['elsewhere']),
    },
  }),
  latitude(
    'creation-fills-in',
    'A volume decides on the data center, and a pod that asks for no hardware gets a GPU.',
    {
      style: { volumeElsewhere: 'volume-wins', neitherGpuNorCpu: 'default-gpu' },
      readings: {
        ...reads('pods.create.neither', 'accepted', ['neither']),
        ...reads('pods.create.volume-elsewhere', 'accepted', ['elsewhere']),
      },
    },
  ),
  latitude('cpu-memory-required', 'memory must be sent for a CPU pod, as the target file says.', {
    about: 'memory of CPU pods',
    style: { cpuMemory: 'required' },
    file: plane({ cpu: { id: 'cpu3c', vcpuCount: 2, memory: 4 } }),
    readings: reads('pods.create.cpu-required', '422', ['no memory']),
  }),
  latitude('cpu-shown-as-asked', 'The CPU of a pod is shown as its creation named it, and memory must be named.', {
    about: 'memory of CPU pods',
    readings: reads('pods.create.cpu-required', '422', ['no memory']),
    style: { cpuMemory: 'required' },
    change: part('buildPod', (next, body) => {
      const pod = next()
      return body.cpu === undefined ? pod : { ...pod, hardware: { cpu: body.cpu } as StoredPod['hardware'] }
    }),
  }),
  latitude(
    'deep-creations-fail',
    'A creation with a member that is nested a hundred levels deep fails with 500, and leaves no pod.',
    {
      change: refusing(
        'createPod',
        (body) => JSON.stringify(body).includes(`${'['.repeat(100)}0`) && [500, 'too much recursion'],
      ),
      readings: reads('pods.create.failed-leaves-none', 'nested', ['answered 5xx']),
    },
  ),

  latitude('creation-answers-wrapped', 'A creation is answered with the pod as a member of an object.', {
    about: 'bodies of creations',
    wrap: onJson(isCreated, (pod) => ({ pod })),
  }),
  {
    id: 'creation-answers-what-was-asked',
    says: 'A creation is answered with what was sent, CPU and networking aside, beside id and status.',
    about: 'bodies of creations',
    wrap: (fetch) => async (request) => {
      const asked = is.create(request) ? await jsonOf(request) : null
      const { cpu: _, globalNetworking: __, ...shown } = asked ?? {}
      const answered = onJson(isCreated, ({ id, status }) => ({ ...shown, id, status }))
      return answered(fetch)(request)
    },
  },
  latitude('creation-answers-string', 'A creation is answered with its id as a JSON string.', {
    about: 'bodies of creations',
    wrap: onJson(isCreated, ({ id }) => id),
  }),
  latitude('creation-ignores-unknown-members', 'A creation ignores members that it does not know.', {
    about: 'bodies of creations',
    wrap: exchanges(is.create, (body) => {
      const known = Object.entries(body).filter(([name]) => members.has(name))
      return known.length === Object.keys(body).length ? null : Object.fromEntries(known)
    }),
  }),
  latitude('creation-names-pods', 'A creation without a name makes a pod with a name of its own.', {
    about: 'bodies of creations',
    wrap: exchanges(is.create, (body) => ('name' in body ? null : { ...body, name: 'amber-otter' })),
  }),
  latitude('names-made-unique', 'Something is added to the name of each pod.', {
    about: ['names of pods', 'bodies of creations'],
    change: making((pod) => ({ name: `${pod.name}-x${pod.n}` })),
  }),
  latitude('images-written-out', 'The image of a pod is shown with its registry.', {
    about: 'images as they are shown',
    change: making(({ image }) => ({ image: image.includes('/') ? image : `docker.io/library/${image}` })),
  }),
  latitude('ports-sorted', 'The ports of a pod are shown in their order.', {
    about: 'ports of pods',
    change: making(({ ports }) => ({
      ports: [...ports].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)),
    })),
  }),
  latitude('env-normalised', 'Variables are shown by name, beside those of the platform.', {
    about: 'variables of pods',
    change: making(({ env }) => ({
      env: Object.fromEntries(
        Object.entries({ ...env, PATH: '/usr/bin', A_POD: '1' }).sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    })),
  }),
  latitude('memory-from-the-flavor', 'The memory of a CPU pod follows from its flavor, whatever is sent.', {
    about: 'memory of CPU pods',
    change: making(({ hardware }) =>
      'cpu' in hardware ? { hardware: { cpu: { ...hardware.cpu, memory: 2 * hardware.cpu.vcpuCount } } } : {},
    ),
    file: plane({ cpu: { id: 'cpu3c', vcpuCount: 2, memory: 4 } }),
  }),
  latitude('networking-refused', 'A creation that asks for global networking is refused.', {
    about: 'networking of pods',
    change: refusing(
      'buildPod',
      (body) => body.globalNetworking === true && [400, 'global networking is not offered here'],
    ),
    file: (target) => ({
      ...plane({ networked: null })(target),
      absent: { ...target.absent, 'global-networking': 'no pod has a global address' },
    }),
    verdicts: verdict('not-applicable', ['pods.global-networking.address', 'pods.global-networking.reachable']),
  }),
  latitude('default-hardware-is-a-cpu', 'A pod that asks for no hardware gets a CPU.', {
    // Such a CPU has no memory, which is refused by cpu-memory-required.
    about: 'memory of CPU pods',
    style: { neitherGpuNorCpu: 'default-gpu' },
    change: part('buildPod', (next, body) =>
      next(body.gpu === undefined && body.cpu === undefined ? { ...body, cpu: { id: 'cpu3c', vcpuCount: 2 } } : body),
    ),
    readings: reads('pods.create.neither', 'accepted', ['neither']),
  }),
  latitude('strangers-create-nothing', 'A key of another account may create no pods.', {
    change: refusing('createPod', (_, { user }) => user === 'user-2' && [403, 'no permission to create pods']),
    verdicts: { 'auth.pods.hidden-volume': 'inconclusive' },
  }),
  latitude('data-centers-not-chosen', 'A creation names no data center: the one of its volume is taken.', {
    change: refusing('createPod', (body) => Object(body).dataCenterIds !== undefined && [422, 'unknown member']),
    about: 'offers of a creation',
    readings: reads('pods.create.volume-elsewhere', 'accepted', ['elsewhere']),
  }),
  latitude(
    'credential-named-otherwise',
    'A creation names its registry credential otherwise, and its response lacks it.',
    {
      about: ['bodies of creations', 'registry credentials'],
      wrap: (fetch) =>
        onJson(
          isCreated,
          ({ registry: _, ...pod }) => pod,
        )(
          exchanges(is.create, ({ registryAuth, ...body }) =>
            registryAuth === undefined ? null : { ...body, registry: registryAuth },
          )(fetch),
        ),
      file: plane({ registry: { id: 'reg-1', body: { registryAuth: 'reg-1' } } }),
    },
  ),
  scarce('no-instances', 409, 'There are no longer any instances available with these specifications.'),
  scarce('out-of-stock', 422, 'gpu-a is out of stock in this region.'),
  scarce('insufficient-resources', 400, 'Insufficient resources; try again later.'),
  scarce('machines-unavailable', 503, 'All machines of this kind are unavailable.'),
  latitude(
    'creation-looks-at-offers-first',
    'A creation that names what does not exist is 422, whatever else is wrong with it.',
    {
      change: refusing('createPod', (body, _, { dataCenters, flavors, gpuTypes }) => {
        const { gpu, cpu, registry, dataCenterIds = [] } = (body ?? {}) as Partial<PodCreate>
        const isOffered =
          (gpu?.id === undefined || gpuTypes.has(gpu.id)) &&
          (cpu?.id === undefined || flavors.has(cpu.id)) &&
          [undefined, null, 'reg-1'].includes(registry) &&
          Array.isArray(dataCenterIds) &&
          dataCenterIds.every((id) => dataCenters.includes(id))
        return !isOffered && [422, 'no such GPU type, flavor, registry or data center']
      }),
      about: 'offers of a creation',
    },
  ),
  latitude('capacity-before-validation', 'For lack of capacity wrong creations are refused like right ones.', {
    change: refusing('createPod', (_, __, service) => isScarce(service.clock.now()) && [400, 'no capacity']),
    about: 'capacity',
  }),
]

/** For five seconds of each minute there is no capacity, which is said in other words. */
function scarce(id: string, status: number, detail: string): Latitude {
  return latitude(`capacity-${id}`, `Lack of capacity is answered ${status}: "${detail}".`, {
    change: refusing('buildPod', (_, __, service) => isScarce(service.clock.now()) && [status, detail]),
    about: 'capacity',
  })
}

function isScarce(nowMs: number): boolean {
  // Not where a minute begins, when quotas are given back and rules send at once.
  return (nowMs + 20_000) % 60_000 < 5_000
}

function isCreated(request: Request, { status }: Response): boolean {
  return is.create(request) && status === 201
}
