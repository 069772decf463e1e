import type { Defect } from '../types.ts'
import { defect, is, type Json, onJson, shows } from './tools.ts'

/** One field of another type than stated: the field, its clause, what happens, the value, the observation. */
const wrongTypes: readonly (readonly [
  field: string,
  clause: string,
  says: string,
  value: unknown,
  observed: string,
])[] = [
  ['name', 'name', 'The name is null in some answers.', null, 'name: null'],
  ['status', 'status', 'Pods that are STARTING are shown as BOOTING.', 'BOOTING', 'status: "BOOTING"'],
  ['image', 'image', 'The image is an object of name and digest.', { name: 'nginx' }, 'image: an object'],
  ['args', 'args', 'args is null where there are none.', null, 'args: null'],
  ['disk', 'disk', 'disk is a text with its unit.', '20 GB', 'disk: "20 GB"'],
  ['ports', 'ports', 'Ports are listed as numbers.', [80], 'ports[]: 80'],
  ['registry', 'registry', 'registry is false where there is none.', false, 'registry: false'],
  [
    'mounts',
    'mounts',
    'The size of a persistent mount is a text.',
    { persistent: { size: '10', path: '/a' } },
    'mounts.persistent.size: "10"',
  ],
  ['gpu', 'gpu', 'gpu.count is 0 while the pod is EXITED.', { id: 'gpu-a', count: 0 }, 'gpu.count: 0'],
  ['cpu', 'cpu', 'cpu has no memory.', { id: 'cpu3c', vcpuCount: 2 }, 'cpu.memory: nothing'],
  ['cloud', 'cloud', 'cloud is written in lower case.', 'secure', 'cloud: "secure"'],
  ['dataCenterId', 'data-center-id', 'dataCenterId is a number.', 1, 'dataCenterId: 1'],
  ['template', 'template', 'template is an object.', { id: 't' }, 'template: an object'],
  ['cost', 'cost', 'cost is a text.', '0.44', 'cost: "0.44"'],
  ['locked', 'locked', 'locked is 0 or 1.', 0, 'locked: 0'],
  ['runtime', 'runtime', 'The uptime has a fraction.', { uptime: 1.5 }, 'runtime.uptime: 1.5'],
  ['globalNetworking', 'global-networking', 'globalNetworking is a boolean.', false, 'globalNetworking: false'],
]

/** Fields of another type; each in some pods or answers only. */
export const shapeTypes: readonly Defect[] = [
  defect('type-of-id', 'pods.shape.types', 'id', {
    says: 'The answer to an action shows the id as a number.',
    observed: 'id: 7',
    wrap: onJson(
      (request, { status }) => is.action(request) && status === 200,
      (pod) => ({ ...pod, id: 7 }),
    ),
  }),
  ...wrongTypes.map(([field, clause, says, value, observed]) =>
    defect(`type-of-${clause}`, 'pods.shape.types', clause, {
      says,
      observed,
      change: shows((shown) => (concerns(shown, field) ? { ...shown, [field]: value } : shown)),
    }),
  ),
]

/** Fields that a pod needs on its way into a status are wrong where it has arrived only. */
function concerns(shown: Json, field: string): boolean {
  if (field === 'status') return shown.status === 'STARTING'
  if (field === 'runtime') return shown.status === 'RUNNING'
  return field in shown && shown.status === 'EXITED'
}
