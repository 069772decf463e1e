import { tables as generatedTables } from '../generated/tables.ts'
import { validators as generatedValidators } from '../generated/validators.ts'
import { type Account, defaultAccounts, type IssuedKey } from './auth/accounts.ts'
import { createProbe, probeImage } from './containers/probe.ts'
import { defaultTemplates, type TemplateOffer } from './endpoints/templates.ts'
import { defaultLife } from './life.ts'
import { type LimitWindow, limiterOf } from './limits/limiter.ts'
import { renderPolicy } from './limits/rate-headers.ts'
import { createBalancedState } from './load-balanced/settings.ts'
import { OptionError } from './option-error.ts'
import { listOf, type Quotas, type ReferenceOptions } from './options.ts'
import { buildParts } from './parts.ts'
import { createIds, createWords } from './pods/ids.ts'
import { defaultDataCenters, defaultFlavors, defaultGpuTypes, defaultVolumes } from './pods/inventory.ts'
import type { Volume } from './pods/service.ts'
import { createPodStore } from './pods/store.ts'
import { createQueueState, type QueueSetup } from './queue/settings.ts'
import type { Service } from './service.ts'
import { defaultStyle, type Style } from './style.ts'

const DEFAULT_QUOTAS: Quotas = { minute: 6000, hour: 100_000, day: 1_000_000 }

/**
 * A service from options, each with its default. Names and kinds of options are left to the compiler.
 * @throws OptionError for options that contradict each other.
 */
export function createService(options: ReferenceOptions): Service {
  const { clock, seed, ids, limiter = limiterOf('fixed-window'), capacity = null } = options
  if (seed !== undefined && ids !== undefined) throw new OptionError('seed', 'to be left out beside ids', seed)
  const tables = options.tables ?? generatedTables
  const accounts = options.accounts ?? defaultAccounts
  const style = settleStyle(options.style ?? {})
  const windows = settleWindows(tables.podWindows, options.quotas ?? {})
  const dataCenters = settleDataCenters(options.dataCenters ?? defaultDataCenters)
  const templates: Map<string, TemplateOffer> = byId('templates', options.templates ?? defaultTemplates)
  const users = accounts.map(({ user }) => user)
  const endpointWords = createWords(`${seed ?? 'plumbline'}/endpoints`)
  let made = 0

  return {
    clock,
    tables,
    validators: options.validators ?? generatedValidators,
    ids: ids ?? createIds(seed ?? 'plumbline'),
    capacity,
    life: { ...defaultLife, ...options.life },
    style,
    parts: buildParts(listOf(options.parts)),
    keys: settleKeys(accounts),
    volumes: settleVolumes(options, dataCenters, accounts[0]?.user ?? ''),
    flavors: byId('flavors', options.flavors ?? defaultFlavors),
    gpuTypes: byId('gpuTypes', options.gpuTypes ?? defaultGpuTypes),
    templates,
    endpointId: (n) => `ep-${endpointWords(n)}`,
    dataCenters,
    images: new Map(Object.entries(options.images ?? { [probeImage]: createProbe() })),
    limiter: limiter(windows),
    ratePolicy: renderPolicy(windows, style),
    store: createPodStore(),
    writtenPods: new WeakMap(),
    queue: createQueueState({
      ...queueOptions(options),
      tables,
      users,
      jobId: createWords(`${seed ?? 'plumbline'}/jobs`),
      templateId: [...templates.keys()][0] ?? '',
      madeMs: options.clock.now() - dayMs,
    }),
    balanced: createBalancedState(options, users),
    nextNumber: () => made++,
  }
}

const dayMs = 86_400_000

function queueOptions({ call, endpoints, queue, worker }: ReferenceOptions): Partial<QueueSetup> {
  return {
    ...(call === undefined ? {} : { call }),
    ...(endpoints === undefined ? {} : { endpoints }),
    ...(queue === undefined ? {} : { queue }),
    ...(worker === undefined ? {} : { worker }),
  }
}

function settleStyle(given: Partial<Style>): Style {
  const style: Style = { ...defaultStyle, ...given }
  if (style.terminatedListed && style.terminated === 'gone') {
    throw new OptionError('style.terminatedListed', 'false where style.terminated is gone', true)
  }
  if (style.deleteStatus === 204 && style.deleteBody !== 'none') {
    throw new OptionError('style.deleteBody', 'none where style.deleteStatus is 204', style.deleteBody)
  }
  if (style.restartApplied === 'later' && style.restartStatus !== 'RUNNING') {
    throw new OptionError('style.restartApplied', 'at-once where style.restartStatus is not RUNNING', 'later')
  }
  return style
}

function settleWindows(windows: readonly Omit<LimitWindow, 'quota'>[], given: Partial<Quotas>): LimitWindow[] {
  const quotas: Partial<Quotas> = { ...DEFAULT_QUOTAS, ...given }
  return windows.map(({ name, seconds }) => ({ name, seconds, quota: quotas[name] ?? Number.POSITIVE_INFINITY }))
}

function settleKeys(accounts: readonly Account[]): Map<string, IssuedKey> {
  const keys = new Map<string, IssuedKey>()
  for (const { user, keys: own } of accounts) {
    for (const { token, state, permissions } of own) {
      if (keys.has(token)) throw new OptionError(`accounts (${user})`, 'tokens that differ', '…')
      keys.set(token, { user, state, permissions })
    }
  }
  return keys
}

function settleDataCenters(given: readonly string[]): [string, ...string[]] {
  const [first, ...others] = given
  if (first === undefined) throw new OptionError('dataCenters', 'at least one identifier', given)
  return [first, ...others]
}

function settleVolumes(
  { volumes }: ReferenceOptions,
  dataCenters: readonly string[],
  owner: string,
): Map<string, Volume> {
  const offers = volumes ?? defaultVolumes.filter(({ dataCenterId }) => dataCenters.includes(dataCenterId))
  for (const { id, dataCenterId } of offers) {
    if (dataCenters.includes(dataCenterId)) continue
    throw new OptionError(`volumes (${id})`, `a data center of ${dataCenters.join(', ')}`, dataCenterId)
  }
  return byId(
    'volumes',
    offers.map((volume) => ({ user: owner, ...volume })),
  )
}

function byId<T extends { readonly id: string }>(option: string, offers: readonly T[]): Map<string, T> {
  const found = new Map(offers.map((offer) => [offer.id, offer]))
  if (found.size < offers.length) {
    const ids = offers.map(({ id }) => id)
    throw new OptionError(option, 'identifiers that differ', ids)
  }
  return found
}
