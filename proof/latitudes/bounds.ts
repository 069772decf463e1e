import type { PodCreate } from '../../generated/api.ts'
import { refusing } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, type More, verdict } from './tools.ts'

/** Bounds of a platform on what the description leaves open: each refuses values that another platform takes. */
export const bounds: readonly Latitude[] = [
  bounded('names-of-40', 'Names have at most 40 characters.', ({ name }) => name.length > 40),
  bounded('names-lower-case', 'Names have lower-case letters, digits and hyphens.', ({ name }) =>
    /[^a-z0-9-]/.test(name),
  ),
  bounded('args-of-4', 'Arguments have at most 4 characters.', ({ args = '' }) => args.length > 4),
  bounded('args-not-taken', 'Arguments are not taken.', ({ args = '' }) => args.length > 0, {
    verdicts: verdict('inconclusive', ['pods.create.gpu', 'pods.create.cpu']),
  }),
  bounded('disk-at-most-10', 'A disk has at most 10 GB.', ({ disk = 10 }) => disk > 10),
  bounded('disk-of-25-or-more', 'A disk has at least 25 GB.', ({ disk = 25 }) => disk < 25),
  bounded('one-port', 'A pod has at most one port.', ({ ports = [] }) => ports.length > 1),
  bounded('ports-of-tcp', 'Ports are of tcp.', ({ ports = [] }) => ports.some((port) => !`${port}`.endsWith('/tcp'))),
  bounded('one-variable', 'A pod has at most one variable.', ({ env = {} }) => Object.keys(env).length > 1),
  bounded('variables-not-empty', 'A variable is not empty.', ({ env = {} }) => Object.values(env).includes('')),
  bounded('community-only', 'The only cloud is COMMUNITY.', ({ cloud = 'COMMUNITY' }) => cloud !== 'COMMUNITY'),
  bounded('one-gpu', 'A pod has at most one GPU.', ({ gpu }) => (gpu?.count ?? 1) > 1),
  bounded('mounts-of-10', 'A persistent mount has 10 GB.', ({ mounts }) => (mounts?.persistent?.size ?? 10) > 10),
  bounded('mount-paths-flat', 'Mount paths have one level.', ({ mounts }) =>
    [mounts?.persistent?.path, mounts?.network?.[0]?.path].some((path) => /^\/.*\//.test(path ?? '')),
  ),
]

/** Creations beyond a bound are refused, once their bodies are valid. */
function bounded(id: string, says: string, isBeyond: (body: PodCreate) => boolean, more: More = {}): Latitude {
  return latitude(id, says, {
    planes: ['pods'],
    about: `the bounds of ${id.split('-')[0]}`,
    change: refusing('buildPod', (body) => isBeyond(body) && [422, says]),
    ...more,
  })
}
