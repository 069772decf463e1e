import {
  type Account,
  type ClockState,
  createControlledClock,
  createReference,
  defaultAccounts,
  defaultGpuTypes,
  defaultKeys,
  defaultVolumes,
  type Fetch,
  type ReferenceOptions,
} from './index.ts'

/** The published keys of a reference that is served or embedded. They open nothing else. */
export const exampleKeys = {
  full: 'plumbline-example-full',
  second: 'plumbline-example-second',
  restricted: 'plumbline-example-restricted',
  expired: 'plumbline-example-expired',
  stranger: 'plumbline-example-stranger',
} as const

const exampleTokens = new Map<string, string>([
  [defaultKeys.full, exampleKeys.full],
  [defaultKeys.second, exampleKeys.second],
  [defaultKeys.restricted, exampleKeys.restricted],
  [defaultKeys.expired, exampleKeys.expired],
  [defaultKeys.stranger, exampleKeys.stranger],
])

/** The accounts of the reference with the published keys. */
export const exampleAccounts: readonly Account[] = defaultAccounts.map((account) => ({
  ...account,
  keys: account.keys.map((key) => ({ ...key, token: exampleTokens.get(key.token) ?? key.token })),
}))

/** Where the clock of a served reference is controlled, below its base address. */
export const clockPath = '/plumbline/clock'

/** A reference in this process whose time moves only when it is told to. */
export interface Embedded {
  readonly fetch: Fetch
  readonly control: { state(): ClockState; advance(ms: number): ClockState }
}

/** Time begins here in an embedded reference, so that two runs of one seed see the same dates. */
const START_MS = Date.UTC(2026, 0, 1)

/** Makes an embedded reference; `change` lays a defect, a latitude or anything else over its options. */
export function createEmbedded(
  change: (options: ReferenceOptions) => ReferenceOptions = (options) => options,
): Embedded {
  const controlled = createControlledClock(START_MS)
  const reference = createReference(change({ clock: controlled.clock, accounts: exampleAccounts }))
  return {
    fetch: controlled.wrap(reference.fetch),
    control: { state: () => controlled.state(), advance: (ms) => controlled.advance(ms) },
  }
}

/**
 * The target file of a reference with default options, as plain data.
 * @param url its base address, without a slash at the end.
 * @param clock whether its clock lets itself be controlled.
 */
export function targetFileOf({ url, clock }: { readonly url: string; readonly clock: 'real' | 'control' }) {
  const [volume, volumeSecond] = defaultVolumes
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
      volumePath: '/workspace',
      statuses: { ERROR: { body: { image: 'plumbline/error' } } },
    },
    keys: {
      full: exampleKeys.full,
      second: exampleKeys.second,
      restricted: {
        key: exampleKeys.restricted,
        may: ['listPods', 'getPod', 'listCpuFlavors'],
        mayNot: ['createPod', 'updatePod', 'deletePod', 'start', 'stop', 'restart', 'terminate'],
      },
      expired: exampleKeys.expired,
      stranger: exampleKeys.stranger,
    },
    ...(clock === 'real' ? {} : { clock: { url: url + clockPath } }),
  }
}
