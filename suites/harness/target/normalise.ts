import { readAddress } from './address.ts'
import { claimOf } from './claims.ts'
import { defaultBudget, defaultGrants, defaultPaths, defaultPlane, defaultTolerances } from './defaults.ts'
import { parseDuration } from './duration.ts'
import type { PodsSection, TargetFile, ToleranceName } from './file.ts'
import { suggestion } from './nearest.ts'
import { type Environment, type Resolved, resolveSecret, resolveText } from './secrets.ts'
import type { Grants, KeyName, KnownFailure, PodPlane, PodStatus, Recipe, Target, Tolerances } from './types.ts'

export type Path = readonly (string | number)[]

/** What a normalised target is made with. */
export interface Surroundings {
  readonly environment: Environment
  /** Ids of the ledger; `known:` may name no other. */
  readonly ruleIds: readonly string[]
  /** Notes one fault and the key path that it lies at. */
  readonly fault: (path: Path, message: string) => void
}

/** Fills in every default and reads addresses, keys and lengths of time. Faults are told, not thrown. */
export function normalise(file: TargetFile, around: Surroundings): Target {
  const { fault } = around
  const absent = file.absent ?? {}
  const section: PodsSection = typeof file.pods === 'string' ? { url: file.pods } : file.pods
  const pods = planeOf(section, absent, typeof file.pods === 'string' ? ['pods'] : ['pods', 'url'], around)
  const keys = keysOf(file, around)
  const target: Target = {
    name: file.name ?? hostOf(pods.url),
    pods,
    keys,
    grants: grantsOf(file, around),
    absent,
    clock: clockOf(file, around),
    tolerances: tolerancesOf(file.tolerances ?? {}, around),
    budget: { ...defaultBudget, ...file.budget },
    known: knownOf(file, around),
  }
  for (const need of Object.keys(absent)) {
    if (claimOf({ ...target, absent: {} }, need) === 'given') {
      fault(['absent', need], `${need} is both given and declared absent; take one of the two away`)
    }
  }
  return target
}

function planeOf(section: PodsSection, absent: TargetFile['absent'], path: Path, around: Surroundings): PodPlane {
  const { url, allowPlainHttp = false, paths, statuses = {}, cpu, ...rest } = section
  const noCpu = absent?.['pods.cpu'] !== undefined || absent?.catalog !== undefined
  if (rest.persistent !== undefined && rest.gpu === undefined) {
    around.fault(['pods', 'persistent'], 'pods.persistent is for GPU pods; give pods.gpu as well')
  }
  if (rest.volumeSecond !== undefined && rest.volume === undefined) {
    around.fault(['pods', 'volumeSecond'], 'pods.volumeSecond is given without pods.volume; give pods.volume first')
  }
  if (rest.volumeSecond !== undefined && rest.volumeSecond === rest.volume) {
    around.fault(['pods', 'volumeSecond'], 'pods.volumeSecond is the same volume as pods.volume; give another one')
  }
  return {
    ...defaultPlane,
    ...rest,
    url: addressOf(url, allowPlainHttp, path, around),
    paths: { ...defaultPaths, ...paths },
    cpu: cpu ?? (noCpu ? null : defaultPlane.cpu),
    recipes: Object.fromEntries(
      Object.entries(statuses).map(([status, recipe]) => [status, recipeOf(status as PodStatus, recipe)]),
    ),
  }
}

function recipeOf(status: PodStatus, { body = {}, actions }: Partial<Recipe>): Recipe {
  return { body, actions: actions ?? (status === 'EXITED' ? ['stop'] : []) }
}

function keysOf({ keys }: TargetFile, { environment, fault }: Surroundings): Target['keys'] {
  const { restricted, ...plain } = keys
  const texts: Partial<Record<KeyName, string>> = { ...plain }
  if (restricted !== undefined) texts.restricted = typeof restricted === 'string' ? restricted : restricted.key
  const read: Partial<Record<KeyName, string>> = {}
  for (const [name, text] of Object.entries(texts) as [KeyName, string][]) {
    const path = name === 'restricted' && typeof restricted === 'object' ? ['keys', name, 'key'] : ['keys', name]
    const value = take(resolveSecret(text, environment), path, fault)
    if (value === null) continue
    const twin = Object.keys(read).find((other) => read[other as KeyName] === value)
    if (twin !== undefined)
      fault(path, `keys.${name} is the same key as keys.${twin}; give another one or leave it out`)
    read[name] = value
  }
  return read
}

function grantsOf({ keys: { restricted } }: TargetFile, { fault }: Surroundings): Grants {
  if (typeof restricted !== 'object' || (restricted.may === undefined && restricted.mayNot === undefined)) {
    return defaultGrants
  }
  const { may = [], mayNot = [] } = restricted
  for (const name of may.filter((entry) => mayNot.includes(entry))) {
    fault(['keys', 'restricted', 'mayNot'], `keys.restricted: ${name} stands under may and under mayNot; keep one`)
  }
  return { may, mayNot }
}

function clockOf({ clock = 'real' }: TargetFile, around: Surroundings): Target['clock'] {
  if (clock === 'real') return 'real'
  // No key is sent to the control address, so plain http shows nothing.
  return { url: addressOf(clock.url, true, ['clock', 'url'], around) }
}

function tolerancesOf(given: NonNullable<TargetFile['tolerances']>, { fault }: Surroundings): Tolerances {
  const read = (name: ToleranceName, leastMs: number): number | null => {
    const text = given[name]
    if (text === undefined) return null
    const ms = parseDuration(text)
    if (ms !== null && ms >= leastMs) return ms
    fault(['tolerances', name], `tolerances.${name}: expected a length of time of at least ${leastMs}ms, got ${text}`)
    return null
  }
  const slackMs = read('windowSlack', 0)
  return {
    settleMs: read('settle', 1) ?? defaultTolerances.settleMs,
    pollMs: read('poll', 10) ?? defaultTolerances.pollMs,
    visibleMs: read('visible', 0) ?? defaultTolerances.visibleMs,
    windowSlackS: slackMs === null ? defaultTolerances.windowSlackS : slackMs / 1000,
    answerMs: read('answer', 100) ?? defaultTolerances.answerMs,
    connectMs: read('connect', 100) ?? defaultTolerances.connectMs,
    rateWaitMs: read('rateWait', 0) ?? defaultTolerances.rateWaitMs,
  }
}

function knownOf({ known = [] }: TargetFile, { ruleIds, fault }: Surroundings): KnownFailure[] {
  return known.map((entry, index) => {
    if (!ruleIds.includes(entry.rule)) {
      fault(['known', index, 'rule'], `known.${index}.rule: there is no rule ${entry.rule}${near(entry.rule, ruleIds)}`)
    }
    return { ...entry, clause: entry.clause ?? null }
  })
}

function near(id: string, ruleIds: readonly string[]): string {
  const hint = suggestion(id, ruleIds)
  return hint.includes('did you mean') ? hint : '; plumbline rules lists them'
}

function addressOf(text: string, plainHttp: boolean, path: Path, { environment, fault }: Surroundings): string {
  const value = take(resolveText(text, environment), path, fault)
  return value === null ? '' : (take(readAddress(value, { plainHttp }), path, fault) ?? '')
}

function take(resolved: Resolved, path: Path, fault: Surroundings['fault']): string | null {
  if ('value' in resolved) return resolved.value
  fault(path, `${path.join('.')}: ${resolved.fault}`)
  return null
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : ''
}
