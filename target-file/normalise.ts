import type { TargetFile } from '../generated/target-file.ts'
import { claimOf } from '../harness/claims/claims.ts'
import { isWritten } from '../harness/claims/needs.ts'
import { areaOf } from '../harness/common/areas.ts'
import { lengthOf } from '../harness/common/length.ts'
import { nearKeys } from '../harness/common/mutate.ts'
import { allPlanes } from '../harness/planes/index.ts'
import { defaultBudget, defaultGrants } from '../target/defaults.ts'
import { parseDuration } from '../target/duration.ts'
import { examplePrefix, nameIn, resolveSecret } from '../target/secrets.ts'
import { defaultTolerances, leastTolerancesMs, type Tolerances } from '../target/tolerances.ts'
import type { Grants, KeyName, KnownFailure, Network, PlaneSection, Target } from '../target/types.ts'
import { addressOf, type Surroundings, take } from '../target/values.ts'
import { checkMix } from './mix.ts'
import { suggestion, unknownRule } from './nearest.ts'
import { type FileSurroundings, networkOf, withHeaders } from './network.ts'
import { receiverOf } from './receiver.ts'

/** Fills in every default and reads addresses, keys and lengths of time. Faults are noted, not thrown. */
export function normalise(file: TargetFile, around: FileSurroundings): Target {
  const { fault } = around
  const absent = file.absent ?? {}
  const network = networkOf(file.network, around)
  const sections = sectionsOf(file, absent, network, around)
  const given = Object.values(sections).filter((section): section is PlaneSection => section !== null)
  if (given.length === 0) {
    const planes = allPlanes().map(({ name, title }) => `${name} (${title})`)
    fault([], `the file has no plane; add at least one of ${planes.join(', ')}, such as pods: https://api.example.com`)
  }
  const keys = keysOf(file, around)
  const target: Target = {
    name: file.name ?? hostOf(given),
    ...(sections as Pick<Target, 'pods' | 'queue' | 'lb' | 'management' | 'deploy' | 'openapi' | 'probe'>),
    receiver: file.receiver === undefined ? null : receiverOf(file.receiver, around),
    network,
    keys,
    variables: variablesOf(file),
    grants: grantsOf(file, around),
    absent,
    clock: clockOf(file, around),
    tolerances: tolerancesOf(file.tolerances ?? {}, around),
    budget: { ...defaultBudget, ...file.budget },
    known: knownOf(file, around),
    ...(file.load !== undefined && { load: file.load }),
  }
  checkMix(target, around)
  for (const need of Object.keys(absent)) {
    if (isWritten(file, need) && claimOf({ ...target, absent: {} }, need) === 'given') {
      fault(['absent', need], `${need} is both given and declared absent; remove one of the two`)
    }
  }
  return target
}

/** The section of each plane; null for those that the file does not have. */
function sectionsOf(
  file: TargetFile,
  absent: Target['absent'],
  network: Network,
  around: Surroundings,
): Readonly<Record<string, PlaneSection | null>> {
  const given = file as unknown as Readonly<Record<string, unknown>>
  const sections = allPlanes().map(({ name, read }) => [
    name,
    given[name] === undefined ? null : withHeaders(read(given[name], around, absent), network),
  ])
  return Object.fromEntries(sections)
}

/** The keys as they are written. */
function textsOf({ keys: { restricted, ...plain } }: TargetFile): [name: KeyName, text: string][] {
  const texts: Partial<Record<KeyName, string>> = { ...plain }
  if (restricted !== undefined) texts.restricted = typeof restricted === 'string' ? restricted : restricted.key
  return Object.entries(texts) as [KeyName, string][]
}

function variablesOf(file: TargetFile): Target['variables'] {
  return Object.fromEntries(
    textsOf(file).flatMap(([name, text]) => {
      const variable = text === examplePrefix + name ? '' : nameIn(text)
      return variable === null ? [] : [[`key.${name}`, variable]]
    }),
  )
}

function keysOf(file: TargetFile, { environment, fault }: Surroundings): Target['keys'] {
  const { restricted } = file.keys
  const read: Partial<Record<KeyName, string>> = {}
  for (const [name, text] of textsOf(file)) {
    const path = name === 'restricted' && typeof restricted === 'object' ? ['keys', name, 'key'] : ['keys', name]
    const value = take(resolveSecret(text, environment), path, fault)
    if (value === null) continue
    const twin = Object.keys(read).find((other) => read[other as KeyName] === value)
    if (twin !== undefined)
      fault(path, `keys.${name} is the same key as keys.${twin}; give another one or leave it out`)
    read[name] = value
  }
  return { ...read, ...nearKeysOf(read) }
}

/** Keys like the full one that open nothing; without those that would be a key of the file. */
function nearKeysOf(keys: Target['keys']): Target['keys'] {
  const issued = ['', ...Object.values(keys)]
  const near = Object.entries(nearKeys).map(([name, change]) => [name, change(keys.full ?? '')] as const)
  return Object.fromEntries(near.filter(([, text]) => !issued.includes(text)))
}

function grantsOf({ keys: { restricted } }: TargetFile, { fault }: Surroundings): Grants {
  if (typeof restricted !== 'object' || (restricted.may === undefined && restricted.mayNot === undefined)) {
    return defaultGrants
  }
  const { may = [], mayNot = [] } = restricted
  for (const name of may.filter((entry) => mayNot.includes(entry))) {
    fault(['keys', 'restricted', 'mayNot'], `keys.restricted: ${name} is under both may and mayNot; keep one`)
  }
  return { may, mayNot }
}

function clockOf({ clock = 'real' }: TargetFile, around: Surroundings): Target['clock'] {
  if (typeof clock === 'string') return 'real'
  // No key is sent to the control address, so plain http reveals nothing.
  return { url: addressOf(clock.url, true, ['clock', 'url'], around) }
}

function tolerancesOf(given: NonNullable<TargetFile['tolerances']>, { fault }: Surroundings): Tolerances {
  const read = Object.entries(leastTolerancesMs).flatMap(([name, leastMs]) => {
    const text = given[name as keyof typeof given]
    if (text === undefined) return []
    const ms = parseDuration(text)
    if (ms !== null && ms >= leastMs) return [name === 'windowSlack' ? ['windowSlackS', ms / 1000] : [`${name}Ms`, ms]]
    fault(['tolerances', name], `tolerances.${name}: expected a length of time of at least ${leastMs}ms, got ${text}`)
    return []
  })
  const tolerances: Tolerances = { ...defaultTolerances, ...Object.fromEntries(read) }
  const { stalenessMs, visibleMs } = tolerances
  if (stalenessMs > visibleMs) {
    const most = `tolerances.visible (${lengthOf(visibleMs)}), after which each read shows a write`
    fault(['tolerances', 'staleness'], `tolerances.staleness: expected at most ${most}, got ${lengthOf(stalenessMs)}`)
  }
  return tolerances
}

function knownOf({ known = [] }: TargetFile, { ruleIds, clausesOf, fault }: Surroundings): KnownFailure[] {
  return known.map((entry, index) => {
    if (!ruleIds.includes(entry.rule)) {
      const isOurs = ruleIds.some((id) => areaOf(id) === areaOf(entry.rule))
      const own = isOurs ? '' : '; a rule of your own needs --rules FOLDER'
      fault(['known', index, 'rule'], `known.${index}.rule: ${unknownRule(entry.rule, ruleIds)}${own}`)
    }
    const { rule, clause } = entry
    const clauses = clausesOf?.(rule) ?? []
    if (clause !== undefined && clauses.length > 0 && !clauses.includes(clause)) {
      const path = ['known', index, 'clause']
      fault(path, `${path.join('.')}: ${rule} has no clause ${clause}${suggestion(clause, clauses)}`)
    }
    return { ...entry, clause: entry.clause ?? null }
  })
}

/** The host of the first plane that has an address; a deployment tool has none. */
function hostOf(planes: readonly PlaneSection[]): string {
  const url = planes.find((plane) => plane.url !== null)?.url ?? ''
  return URL.canParse(url) ? new URL(url).host : 'the deployment tool'
}
