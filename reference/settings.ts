import { tables as generatedTables } from '../generated/tables.ts'
import { validators as generatedValidators } from '../generated/validators.ts'
import { type Account, defaultAccounts, type IssuedKey } from './auth/accounts.ts'
import { defaultLife, type Life } from './life.ts'
import { type LimitWindow, limiterOf } from './limits/limiter.ts'
import { renderPolicy } from './limits/rate-headers.ts'
import { OptionError } from './option-error.ts'
import { listOf, type Quotas, type ReferenceOptions } from './options.ts'
import { buildParts, partNames } from './parts.ts'
import { createIds, createWords } from './pods/ids.ts'
import { defaultDataCenters, defaultFlavors, defaultGpuTypes, defaultVolumes } from './pods/inventory.ts'
import type { Volume } from './pods/service.ts'
import { createPodStore } from './pods/store.ts'
import { createQueueState, type QueueSetup } from './queue/settings.ts'
import type { Service } from './service.ts'
import { defaultStyle, type Style, styleChoices } from './style.ts'

const DEFAULT_QUOTAS: Quotas = { minute: 6000, hour: 100_000, day: 1_000_000 }

const OPTION_NAMES: { readonly [K in keyof Required<ReferenceOptions>]: true } = {
  clock: true,
  tables: true,
  validators: true,
  seed: true,
  ids: true,
  accounts: true,
  volumes: true,
  dataCenters: true,
  flavors: true,
  gpuTypes: true,
  capacity: true,
  quotas: true,
  limiter: true,
  endpoints: true,
  queue: true,
  call: true,
  worker: true,
  life: true,
  style: true,
  parts: true,
  wrapFetch: true,
}

/**
 * A service from options, each with its default.
 * @throws OptionError for an option that is unknown, has a wrong value, or contradicts another.
 */
export function createService(options: ReferenceOptions): Service {
  checkNames('', options, Object.keys(OPTION_NAMES))
  const { clock, seed, ids, limiter = limiterOf('fixed-window'), capacity = null } = options
  if (typeof clock?.now !== 'function' || typeof clock.schedule !== 'function') {
    throw new OptionError('clock', 'a clock with now and schedule', clock)
  }
  if (seed !== undefined && typeof seed !== 'string') throw new OptionError('seed', 'a string', seed)
  if (seed !== undefined && ids !== undefined) throw new OptionError('seed', 'to be left out beside ids', seed)
  if (capacity !== null && !isCount(capacity)) throw new OptionError('capacity', 'null or an integer from 0', capacity)
  const tables = options.tables ?? generatedTables
  const accounts = options.accounts ?? defaultAccounts
  const style = settleStyle(options.style ?? {})
  const windows = settleWindows(tables.podWindows, options.quotas ?? {})
  const dataCenters = settleDataCenters(options.dataCenters ?? defaultDataCenters)
  const wrappers = listOf(options.parts)
  for (const wrapper of wrappers) checkNames('parts.', wrapper, partNames)
  let made = 0

  return {
    clock,
    tables,
    validators: options.validators ?? generatedValidators,
    ids: ids ?? createIds(seed ?? 'plumbline'),
    capacity,
    life: settleLife(options.life ?? {}),
    style,
    parts: buildParts(wrappers),
    keys: settleKeys(accounts),
    volumes: settleVolumes(options, dataCenters, accounts[0]?.user ?? ''),
    flavors: byId('flavors', options.flavors ?? defaultFlavors),
    gpuTypes: byId('gpuTypes', options.gpuTypes ?? defaultGpuTypes),
    dataCenters,
    limiter: limiter(windows),
    ratePolicy: renderPolicy(windows, style),
    store: createPodStore(),
    writtenPods: new WeakMap(),
    queue: createQueueState({
      ...queueOptions(options),
      tables,
      users: accounts.map(({ user }) => user),
      jobId: createWords(`${seed ?? 'plumbline'}/jobs`),
    }),
    nextNumber: () => made++,
  }
}

function queueOptions({ call, endpoints, queue, worker }: ReferenceOptions): Partial<QueueSetup> {
  return {
    ...(call === undefined ? {} : { call }),
    ...(endpoints === undefined ? {} : { endpoints }),
    ...(queue === undefined ? {} : { queue }),
    ...(worker === undefined ? {} : { worker }),
  }
}

function settleStyle(given: Partial<Style>): Style {
  checkNames('style.', given, Object.keys(styleChoices))
  for (const [name, value] of Object.entries(given)) {
    const choices: readonly unknown[] = styleChoices[name as keyof Style]
    if (!choices.includes(value)) throw new OptionError(`style.${name}`, `one of ${choices.join(', ')}`, value)
  }
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

function settleLife(given: Partial<Life>): Life {
  checkNames('life.', given, Object.keys(defaultLife))
  for (const [name, value] of Object.entries(given)) {
    const isText = name === 'errorImage'
    if (isText ? typeof value === 'string' && value !== '' : isCount(value)) continue
    throw new OptionError(
      `life.${name}`,
      isText ? 'a text that is not empty' : 'an integer from 0, milliseconds',
      value,
    )
  }
  return { ...defaultLife, ...given }
}

function settleWindows(windows: readonly Omit<LimitWindow, 'quota'>[], given: Partial<Quotas>): LimitWindow[] {
  const names = windows.map(({ name }) => name)
  checkNames('quotas.', given, names)
  const quotas = { ...DEFAULT_QUOTAS, ...given }
  return windows.map(({ name, seconds }) => {
    const quota = quotas[name]
    if (!isCount(quota)) throw new OptionError(`quotas.${name}`, 'an integer from 0, requests', quota)
    return { name, seconds, quota }
  })
}

function settleKeys(accounts: readonly Account[]): Map<string, IssuedKey> {
  if (accounts.length === 0) throw new OptionError('accounts', 'at least one account', accounts)
  const keys = new Map<string, IssuedKey>()
  for (const { user, keys: own } of accounts) {
    for (const { token, state, permissions } of own) {
      if (token === '' || /\s/.test(token)) throw new OptionError(`accounts (${user})`, 'tokens without spaces', '…')
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

function checkNames(prefix: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const value = (given as Record<string, unknown>)[unknown]
  throw new OptionError(`${prefix}${unknown}`, `no such option, but one of ${known.join(', ')}`, value)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
