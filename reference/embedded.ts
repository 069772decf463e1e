import { clockPath } from './clock/control-endpoint.ts'
import { probeImage, probePort } from './containers/probe.ts'
import { defaultTool } from './deploy/index.ts'
import {
  byPath,
  type Call,
  type ClockState,
  createControlledClock,
  createReference,
  defaultGpuTypes,
  defaultKeys,
  defaultTemplates,
  defaultVolumes,
  type Fetch,
  type ReferenceOptions,
} from './index.ts'

/** A reference in this process whose time moves only when it is told to. */
interface Embedded {
  readonly fetch: Fetch
  readonly control: { state(): ClockState; advance(ms: number): ClockState }
  /** Says what its notifications and beacons reach; nobody before it. */
  reach(call: Call): void
}

/** The address of an embedded reference. */
export const embeddedUrl = 'https://reference.test'

/** Time begins here in an embedded reference, so that two runs of one seed see the same dates. */
export const startMs = Date.UTC(2026, 0, 1)

/** Makes an embedded reference; `change` lays a defect, a latitude or anything else over its options. */
export function createEmbedded(
  change: (options: ReferenceOptions) => ReferenceOptions = (options) => options,
): Embedded {
  const controlled = createControlledClock(startMs)
  let reached: Call = () => Promise.reject(new TypeError('nobody is reached'))
  const call: Call = (request) => (isOwn(request.url) ? fetch(request) : reached(request))
  const reference = createReference(change({ clock: controlled.clock, call }))
  const fetch = controlled.wrap(reference.fetch)
  return {
    fetch,
    control: { state: () => controlled.state(), advance: (ms) => controlled.advance(ms) },
    reach(call) {
      reached = call
    },
  }
}

/** True if a worker calls the reference itself. */
function isOwn(url: string): boolean {
  const own = new URL(embeddedUrl).hostname
  const { hostname } = new URL(url)
  return hostname === own || hostname.endsWith(`.${own}`)
}

/**
 * The target file of a reference with default options, as plain data.
 * @param url its base address, without a slash at the end.
 * @param clock whether its clock lets itself be controlled.
 */
export function targetFileOf({ url, clock }: { readonly url: string; readonly clock: 'real' | 'control' }) {
  const [volume, volumeSecond, volumeElsewhere] = defaultVolumes
  return {
    plumbline: 1,
    name: 'the reference implementation',
    pods: {
      url,
      gpu: { id: defaultGpuTypes[0]?.id ?? '', count: 1 },
      cpu: 'catalog',
      persistent: { size: 10, path: '/workspace' },
      volume: volume?.id ?? '',
      volumeSecond: volumeSecond?.id ?? '',
      volumeElsewhere: volumeElsewhere?.id ?? '',
      volumePath: '/workspace',
      registry: { id: 'reg-1' },
      fromTemplate: { id: defaultTemplates[0]?.id ?? '' },
      networked: { globalNetworking: true },
      locked: { lock: { locked: true }, unlock: { locked: false } },
      statuses: { ERROR: { body: { image: 'plumbline/error' } } },
    },
    queue: {
      url,
      endpoints: {
        normal: 'normal',
        dedicated: 'dedicated',
        second: 'second',
        twoWorkers: 'two-workers',
        scaleToZero: 'scale-to-zero',
        executionTimeout: { id: 'timeout', after: '15s' },
        noExecutionTimeout: 'normal',
      },
      worker: true,
      workers: 14,
      // Its rates are those of the table, however many workers run: so few requests for each never exceed them.
      perWorkerRate: 1,
      requests: true,
      openai: true,
    },
    lb: {
      endpoints: {
        normal: byPath.write(url, 'normal'),
        second: byPath.write(url, 'second'),
        unknown: byPath.write(url, 'unknown'),
      },
      worker: true,
    },
    management: {
      url,
      template: defaultTemplates[0]?.id ?? '',
      gpus: defaultGpuTypes.flatMap(({ id, isAvailable = true }) => (isAvailable ? [id] : [])),
      gpuUnavailable: defaultGpuTypes.find(({ isAvailable = true }) => !isAvailable)?.id ?? '',
      worker: true,
      // The rest of the quota, beside its other endpoints.
      workers: 8,
      standardQuota: true,
      exclusive: true,
    },
    deploy: toolOf(url, clock),
    openapi: { url: `${url}/openapi.json` },
    probe: { image: probeImage, port: `${probePort}/http`, url: `${url}/ports/{id}/{port}` },
    receiver: { listen: '127.0.0.1:0' },
    keys: {
      full: defaultKeys.full,
      second: defaultKeys.second,
      restricted: {
        key: defaultKeys.restricted,
        may: ['listPods', 'getPod', 'listCpuFlavors'],
        mayNot: [
          'createPod',
          'updatePod',
          'deletePod',
          'start',
          'stop',
          'restart',
          'terminate',
          'management',
          'lb',
          'queue',
        ],
      },
      expired: defaultKeys.expired,
      stranger: defaultKeys.stranger,
    },
    ...(clock === 'real' ? {} : { clock: { url: url + clockPath } }),
  }
}

/** The commands of the reference tool. */
function toolOf(url: string, clock: 'real' | 'control') {
  const command = (...words: readonly string[]) => ['plumbline-deploy', ...words]
  return {
    build: command('build', '{project}', '--out', '{package}'),
    deploy: command('deploy', '{project}'),
    list: command('list'),
    remove: command('remove', '{name}'),
    call: command('call', '{from}', '{to}'),
    environment: {
      PLUMBLINE_DEPLOY_URL: url,
      PLUMBLINE_DEPLOY_KEY: defaultKeys.full,
      ...(clock === 'real' ? {} : { PLUMBLINE_DEPLOY_CLOCK: url + clockPath }),
    },
    preinstalled: defaultTool.basePackages[0] ?? '',
    worker: true,
  }
}
