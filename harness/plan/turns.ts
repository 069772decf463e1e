import type { RuleRow } from '../../generated/rules.ts'
import type { EndpointRole, Target } from '../../target/types.ts'
import { memoize } from '../common/memoize.ts'
import { planeOfRule } from '../planes/index.ts'
import type { Scenario, UsedEndpoint } from '../rule/registry.ts'
import { createReserve, noReserve } from './reserve.ts'

/** The endpoints and workers that a rule occupies while it runs. */
export interface Occupancy {
  /** It runs after all others, alone. */
  readonly alone: boolean
  /** True if it uses a quota that all rules of an account share. */
  readonly sharesQuota: boolean
  /** Endpoints that no other rule may use meanwhile. */
  readonly exclusive: readonly string[]
  /** Endpoints that others may share meanwhile, but not have exclusively. */
  readonly shared: readonly string[]
  /** Endpoints that only other rules that wake them may use meanwhile. */
  readonly wakes: readonly string[]
  /** Workers of the normal endpoint. */
  readonly workers: number
  /** Workers of the endpoints that it creates. */
  readonly creates: number
}

/** Resources for concurrent rules. */
export interface Resources {
  /** Number of concurrent rules about pods. */
  readonly scenarios: number
  /** Workers of the normal endpoint. */
  readonly workers: number
  /** Workers of all endpoints that rules create. */
  readonly creates: number
}

export interface Turn {
  /** Releases the workers and keeps the rest of the turn. */
  freeWorkers(): void
  /** Ends the turn. */
  leave(): void
}

/** A rule that waits for its turn, or has it. */
interface Entry {
  occupancy: Occupancy
  readonly isReserved: boolean
  readonly start: () => void
}

interface ReservedEntry extends Entry {
  readonly rule: string
  readonly giveUp: () => void
}

/**
 * The turns of a run: many rules run at once as far as resources allow, and some alone, after the others. Rules of the
 * reserve begin once no other rule waits, if they fit into the time that is left.
 */
export function createTurns(resources: Resources, reserve = createReserve(noReserve, () => 0)) {
  const running: Entry[] = []
  const waiting: Entry[] = []
  const reserved: ReservedEntry[] = []

  let isNextSoon = false

  /** All rules ask in the same turn of the event loop; the choice is made once all are there. */
  function nextSoon(): void {
    if (isNextSoon) return
    isNextSoon = true
    setImmediate(next)
  }

  function next(): void {
    isNextSoon = false
    for (let entry = startable(waiting); entry !== null; entry = startable(waiting)) {
      waiting.splice(waiting.indexOf(entry), 1)
      start(entry)
    }
    if (waiting.length === 0) addReserved()
  }

  function addReserved(): void {
    const fitting = () => reserve.fitting(reserved).filter(isGranted)
    for (let entry = startable(fitting()); entry !== null; entry = startable(fitting())) {
      reserved.splice(reserved.indexOf(entry), 1)
      reserve.begin(entry.rule)
      start(entry)
    }
    if (running.length === 0) for (const { giveUp } of reserved.splice(0)) giveUp()
  }

  function startable<E extends Entry>(entries: readonly E[]): E | null {
    const place = nextToStart(occupanciesOf(entries), occupanciesOf(running), resources)
    return (place === null ? undefined : entries[place]) ?? null
  }

  /** A quota is not taken from planned rules. */
  function isGranted({ occupancy }: Entry): boolean {
    return !occupancy.sharesQuota || running.every((other) => other.isReserved || !other.occupancy.sharesQuota)
  }

  function start(entry: Entry): void {
    running.push(entry)
    entry.start()
  }

  function turnOf(entry: Entry, ended = () => {}): Turn {
    return {
      freeWorkers() {
        entry.occupancy = { ...entry.occupancy, workers: 0 }
        next()
      },
      leave() {
        running.splice(running.indexOf(entry), 1)
        ended()
        next()
      },
    }
  }

  return {
    take: (occupancy: Occupancy): Promise<Turn> =>
      new Promise((resolve) => {
        const entry: Entry = { occupancy, isReserved: false, start: () => resolve(turnOf(entry)) }
        waiting.push(entry)
        nextSoon()
      }),
    /** Resolves with null if the rule does not fit into the time that the others leave. */
    takeIfTimeIsLeft: (rule: string, occupancy: Occupancy): Promise<Turn | null> =>
      new Promise((resolve) => {
        const start = () => resolve(turnOf(entry, () => reserve.end(rule)))
        const entry = { rule, occupancy, isReserved: true, start, giveUp: () => resolve(null) }
        reserved.push(entry)
        nextSoon()
      }),
  }
}

export function occupanciesOf(entries: readonly { readonly occupancy: Occupancy }[]): Occupancy[] {
  return entries.map(({ occupancy }) => occupancy)
}

/**
 * The place in `waiting` of the rule that begins next; null if none may begin before one of `running` has ended. The
 * first whose occupancy is free begins; rules that run alone come after all others. A rule that shares an endpoint lets all
 * others that want it go first, because shared use may take days. Rules do not keep those that need more workers waiting, one after
 * the other. If nothing runs, some rule begins.
 */
export function nextToStart(
  waiting: readonly Occupancy[],
  running: readonly Occupancy[],
  { scenarios, ...limits }: Resources,
): number | null {
  if (waiting.every(({ alone }) => alone)) return waiting.length > 0 && running.length === 0 ? 0 : null
  if (running.some(({ alone }) => alone)) return null
  const used = new Map(running.flatMap(usesOf))
  const isFull = running.filter(({ sharesQuota }) => sharesQuota).length >= scenarios
  const kept = { workers: keptBy(running, 'workers'), creates: keptBy(running, 'creates') }
  const nextPlace = waiting.findIndex((occupancy) => !isExcluded(occupancy) && exceeds(occupancy, 'workers'))
  const nextWorkers = waiting[nextPlace]?.workers ?? 0
  const fewer = keptBy(
    running.filter(({ workers }) => workers < nextWorkers),
    'workers',
  )
  const first = waiting.findIndex(
    (occupancy, place) => isFree(occupancy) && !delaysNext(occupancy, place) && !occupancy.shared.some(isWanted),
  )
  if (first !== -1) return first
  // Two rules that let each other go first.
  return running.length === 0 ? waiting.findIndex(isFree) : null

  function isWanted(endpoint: string): boolean {
    return waiting.some(
      ({ alone, exclusive, wakes }) => !alone && (exclusive.includes(endpoint) || wakes.includes(endpoint)),
    )
  }

  function isFree(occupancy: Occupancy): boolean {
    return !isExcluded(occupancy) && !exceeds(occupancy, 'workers') && !exceeds(occupancy, 'creates')
  }

  function isExcluded(occupancy: Occupancy): boolean {
    const { alone, sharesQuota } = occupancy
    return alone || (sharesQuota && isFull) || usesOf(occupancy).some(([id, use]) => excludes(use, used.get(id)))
  }

  function exceeds(occupancy: Occupancy, what: 'workers' | 'creates'): boolean {
    return occupancy[what] > 0 && kept[what] > 0 && kept[what] + occupancy[what] > limits[what]
  }

  /** A rule with fewer workers than an earlier one that waits for some uses only those that this one leaves. */
  function delaysNext({ workers }: Occupancy, place: number): boolean {
    if (nextPlace === -1 || place < nextPlace || workers === 0 || workers >= nextWorkers) return false
    return fewer + workers > limits.workers - nextWorkers
  }
}

function keptBy(running: readonly Occupancy[], what: 'workers' | 'creates'): number {
  return running.reduce((sum, occupancy) => sum + occupancy[what], 0)
}

type Use = 'exclusive' | 'shared' | 'wakes'

/** Two rules do not use one endpoint at once, unless both share it or both wake it. */
function excludes(use: Use, other: Use | undefined): boolean {
  return other !== undefined && (use !== other || use === 'exclusive')
}

type Uses = readonly (readonly [id: string, use: Use])[]

/** How a rule uses each of its endpoints. Most rules use none, and a plan asks very often. */
function usesOf(occupancy: Occupancy): Uses {
  const { exclusive, shared, wakes } = occupancy
  return exclusive.length + shared.length + wakes.length === 0 ? [] : someUsesOf(occupancy)
}

/** Of two uses of one endpoint the last counts. */
const someUsesOf = memoize((occupancy: Occupancy): Uses => {
  const uses = ['shared', 'wakes', 'exclusive'] as const
  return [...new Map(uses.flatMap((use) => occupancy[use].map((id) => [id, use] as const)))]
})

/**
 * The endpoints and workers that a rule occupies while it runs. A rule that needs the worker keeps one, unless it has endpoints to itself. A rule
 * that has the normal endpoint to itself, under whatever role, keeps all its workers.
 */
export function occupancyOf(
  { alone, exclusive = [], shared = [], wakes = [], workers, creates }: Omit<Scenario, 'kind' | 'id' | 'run'>,
  row: RuleRow,
  target: Target,
): Occupancy {
  const { queue } = target
  const idOf = (role: UsedEndpoint) => (role.includes('.') ? role : (queue?.endpoints[role as EndpointRole] ?? []))
  const idsOf = (roles: readonly UsedEndpoint[]) => [...new Set(roles.flatMap(idOf))]
  const endpoints = { exclusive: idsOf(exclusive), shared: idsOf(shared), wakes: idsOf(wakes) }
  const given = typeof workers === 'function' ? workers(target) : workers
  const usual = row.needs.includes('worker') && Object.values(endpoints).flat().length === 0 ? 1 : 0
  const all = queue !== null && endpoints.exclusive.includes(queue.endpoints.normal) ? queue.workers : 0
  const sharesQuota = planeOfRule(row.id, row.area).pacing.isOfAccount
  return {
    alone,
    sharesQuota,
    ...endpoints,
    workers: Math.max(all, given ?? usual),
    creates: creates ?? Number(row.needs.includes('management.delete')),
  }
}

/** The resources of a target for concurrent rules. */
export function resourcesOf({ budget, management, queue }: Target): Resources {
  return { scenarios: budget.scenarios, workers: queue?.workers ?? 0, creates: management?.workers ?? 0 }
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The wait of a row in ms; 0 if it has none. */
export function waitMsOf({ wait }: Pick<RuleRow, 'wait'>): number {
  const match = /^(\d+)([smhd])$/.exec(wait ?? '')
  return match === null ? 0 : Number(match[1]) * (unitMs[match[2] ?? ''] ?? 0)
}
