import type { Parts } from '../../reference/index.ts'
import { type Change, is, jsonOf, onJson, part, refusing, withBody } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, plane, reads } from './tools.ts'

const members: ReadonlySet<string> = new Set([
  ...['name', 'image', 'args', 'disk', 'ports', 'env', 'registry', 'mounts', 'gpu', 'cpu'],
  ...['cloud', 'dataCenterIds', 'globalNetworking'],
])

/** Freedoms of a creation: its response, its defaults, and the wording of a lack of capacity. */
export const creations: readonly Latitude[] = [
  latitude('creation-answers-wrapped', 'A creation is answered with the pod as a member of an object.', {
    about: 'creations',
    wrap: onJson(isCreated, (pod) => ({ pod })),
  }),
  {
    id: 'creation-answers-what-was-asked',
    says: 'A creation is answered with what was sent, CPU and networking aside, beside id and status.',
    about: 'creations',
    wrap: (fetch) => async (request) => {
      const asked = is.create(request) ? await jsonOf(request) : null
      const { cpu: _, globalNetworking: __, ...shown } = asked ?? {}
      const answered = onJson(isCreated, ({ id, status }) => ({ ...shown, id, status }))
      return answered(fetch)(request)
    },
  },
  latitude('creation-answers-string', 'A creation is answered with its id as a JSON string.', {
    about: 'creations',
    wrap: onJson(isCreated, ({ id }) => id),
  }),
  latitude('creation-ignores-unknown-members', 'A creation ignores members that it does not know.', {
    about: 'creations',
    wrap: (fetch) => async (request) => {
      const body = is.create(request) ? await jsonOf(request) : null
      const known = Object.entries(body ?? {}).filter(([name]) => members.has(name))
      const isSame = body === null || known.length === Object.keys(body).length
      return fetch(isSame ? request : withBody(request, Object.fromEntries(known)))
    },
  }),
  latitude('creation-names-pods', 'A creation without a name makes a pod with a name of its own.', {
    about: 'creations',
    wrap: (fetch) => async (request) => {
      const body = is.create(request) ? await jsonOf(request) : null
      return fetch(body === null || 'name' in body ? request : withBody(request, { ...body, name: 'amber-otter' }))
    },
  }),
  latitude('names-made-unique', 'Something is added to the name of each pod.', {
    change: making((pod) => ({ name: `${pod.name}-x${pod.n}` })),
  }),
  latitude('images-written-out', 'The image of a pod is shown with its registry.', {
    change: making(({ image }) => ({ image: image.includes('/') ? image : `docker.io/library/${image}` })),
  }),
  latitude('ports-sorted', 'The ports of a pod are shown in their order.', {
    change: making(({ ports }) => ({
      ports: [...ports].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)),
    })),
  }),
  latitude('env-normalised', 'Variables are shown by name, beside those of the platform.', {
    change: making(({ env }) => ({
      env: Object.fromEntries(
        Object.entries({ ...env, PATH: '/usr/bin', A_POD: '1' }).sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    })),
  }),
  latitude('memory-from-the-flavor', 'The memory of a CPU pod follows from its flavor, whatever is sent.', {
    change: making(({ hardware }) =>
      'cpu' in hardware ? { hardware: { cpu: { ...hardware.cpu, memory: 2 * hardware.cpu.vcpuCount } } } : {},
    ),
    file: plane({ cpu: { id: 'cpu3c', vcpuCount: 2, memory: 4 } }),
  }),
  latitude('networking-refused', 'A creation that asks for global networking is refused.', {
    change: refusing(
      'buildPod',
      (body) => body.globalNetworking === true && [400, 'global networking is not offered here'],
    ),
  }),
  latitude('default-hardware-is-a-cpu', 'A pod that asks for no hardware gets a CPU.', {
    style: { neitherGpuNorCpu: 'default-gpu' },
    change: part('buildPod', (next, body) =>
      next(body.gpu === undefined && body.cpu === undefined ? { ...body, cpu: { id: 'cpu3c', vcpuCount: 2 } } : body),
    ),
    readings: reads('pods.create.neither', 'accepted', ['neither']),
  }),
  scarce('no-instances', 409, 'There are no longer any instances available with these specifications.'),
  scarce('out-of-stock', 422, 'gpu-a is out of stock in this region.'),
  scarce('insufficient-resources', 400, 'Insufficient resources; try again later.'),
  scarce('machines-unavailable', 503, 'All machines of this kind are unavailable.'),
  latitude('capacity-before-validation', 'For lack of capacity wrong creations are refused like right ones.', {
    change: refusing('createPod', (_, __, service) => isScarce(service.clock.now()) && [400, 'no capacity']),
    about: 'pace',
  }),
]

/** For five seconds of each minute there is no capacity, which is said in other words. */
function scarce(id: string, status: number, detail: string): Latitude {
  return latitude(`capacity-${id}`, `Lack of capacity is answered ${status}: "${detail}".`, {
    change: refusing('buildPod', (_, __, service) => isScarce(service.clock.now()) && [status, detail]),
    about: 'pace',
  })
}

function isScarce(nowMs: number): boolean {
  // Not where a minute begins, when quotas are given back and rules send at once.
  return (nowMs + 20_000) % 60_000 < 5_000
}

function isCreated(request: Request, { status }: Response): boolean {
  return is.create(request) && status === 201
}

type Made = ReturnType<Parts['buildPod']>

/** New pods have something else. */
function making(change: (pod: Made) => Partial<Made>): Change {
  return part('buildPod', (next) => {
    const pod = next()
    return { ...pod, ...change(pod) }
  })
}
