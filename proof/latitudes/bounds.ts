import type { EndpointCreate, PodCreate } from '../../generated/api.ts'
import type { Target } from '../../target/types.ts'
import { refusing, toolPart } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { management } from './endpoints.ts'
import { latitude, type More, plane, verdict } from './tools.ts'

/** The target file gives every pod a port: the ports that the suite chooses are refused with the rest of their creation. */
const withTcpPort = plane({ extra: { ports: ['22/tcp'] } })
const withPort: More = { file: withTcpPort }

const withTcpProbe = (target: Target): Target => ({
  ...target,
  probe: target.probe === null ? null : { ...target.probe, port: '8000/tcp' },
})

/** Bounds of a platform on what the description leaves open: each refuses values that another platform takes. */
export const bounds: readonly Latitude[] = [
  bounded('names-of-40', 'Names have at most 40 characters.', ({ name }) => name.length > 40),
  bounded('names-lower-case', 'Names have lower-case letters, digits and hyphens.', ({ name }) =>
    /[^a-z0-9-]/.test(name),
  ),
  bounded('args-of-4', 'Arguments have at most 4 characters.', ({ args = '' }) => args.length > 4),
  bounded('args-not-taken', 'Arguments are not taken.', ({ args = '' }) => args.length > 0, {
    verdicts: verdict('inconclusive', ['pods.create.gpu', 'pods.create.cpu']),
    readings: { 'pods.container.args-env': { args: 'not taken' } },
  }),
  bounded('disk-at-most-10', 'A disk has at most 10 GB.', ({ disk = 10 }) => disk > 10, withPort),
  bounded('disk-of-25-or-more', 'A disk has at least 25 GB.', ({ disk = 25 }) => disk < 25, {
    ...withPort,
    verdicts: { 'pods.create.least-disk': 'advice' },
  }),
  bounded('one-port', 'A pod has at most one port.', ({ ports = [] }) => ports.length > 1, withPort),
  bounded('ports-of-tcp', 'Ports are of tcp.', ({ ports = [] }) => ports.some((port) => !`${port}`.endsWith('/tcp')), {
    file: (target) => withTcpProbe(withTcpPort(target)),
  }),
  bounded('one-variable', 'A pod has at most one variable.', ({ env = {} }) => Object.keys(env).length > 1),
  bounded('variables-not-empty', 'A variable is not empty.', ({ env = {} }) => Object.values(env).includes('')),
  bounded('community-only', 'The only cloud is COMMUNITY.', ({ cloud = 'COMMUNITY' }) => cloud !== 'COMMUNITY'),
  bounded('secure-only', 'The only cloud is SECURE.', ({ cloud = 'SECURE' }) => cloud !== 'SECURE', {
    verdicts: { 'pods.create.community': 'not-applicable' },
  }),
  bounded('one-gpu', 'A pod has at most one GPU.', ({ gpu }) => (gpu?.count ?? 1) > 1),
  bounded('mounts-of-10', 'A persistent mount has 10 GB.', ({ mounts }) => (mounts?.persistent?.size ?? 10) > 10),
  ofEndpoints('names-of-40', 'Names of endpoints have at most 40 characters.', ({ name = '' }) => name.length > 40, {
    planes: ['management', 'deploy'],
  }),
  ofEndpoints(
    'idle-60',
    'The idleTimeout of an endpoint is at least 60 seconds.',
    ({ idleTimeout = 60 }) => idleTimeout < 60,
    {
      file: management({ idleTimeout: 60 }),
      tool: toolPart('bodyOf', (next, endpoint) => ({ ...next(endpoint), idleTimeout: 60 })),
    },
  ),
  ofEndpoints('workers-1', 'An endpoint has at most one worker.', ({ workersMax = 1 }) => workersMax > 1, {
    about: ['the bounds of endpoint-workers', 'endpoint management'],
    file: management({ workersMax: 1 }),
    verdicts: { 'endpoints.quota-update': 'inconclusive' },
  }),
  ofEndpoints('workers-3', 'An endpoint has at most three workers.', ({ workersMax = 1 }) => workersMax > 3, {
    file: management({ workersMax: 3 }),
  }),
  ofEndpoints(
    'workers-min-0',
    'No worker of an endpoint stays without a job.',
    ({ workersMin = 0 }) => workersMin > 0,
    {
      verdicts: verdict('inconclusive', ['endpoints.workers-min', 'endpoints.update-workers']),
    },
  ),
  ofEndpoints(
    'one-gpu-type',
    'An endpoint names one GPU type at most.',
    ({ gpuTypeIds = [] }) => gpuTypeIds.length > 1,
    {
      verdicts: verdict('inconclusive', ['endpoints.gpu-priority', 'endpoints.echoes']),
    },
  ),
]

/** Endpoints beyond a bound are refused, when they are created or changed. */
function ofEndpoints(id: string, says: string, isBeyond: (body: EndpointCreate) => boolean, more: More = {}): Latitude {
  return latitude(`endpoint-${id}`, says, {
    planes: ['management'],
    about: `the bounds of endpoint-${id.split('-')[0]}`,
    change: refusing('settleEndpoint', (body) => isBeyond(body as EndpointCreate) && [400, says]),
    ...more,
  })
}

/** Creations beyond a bound are refused, once their bodies are valid. */
function bounded(id: string, says: string, isBeyond: (body: PodCreate) => boolean, more: More = {}): Latitude {
  return latitude(id, says, {
    planes: ['pods'],
    about: `the bounds of ${id.split('-')[0]}`,
    change: refusing('buildPod', (body) => isBeyond(body) && [422, says]),
    ...more,
  })
}
