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

/** The turns of a run: many rules run at once as far as resources allow, and some alone, after the others. */
export function createTurns(resources: Resources) {
  const running: { occupancy: Occupancy }[] = []
  const waiting: { occupancy: Occupancy; readonly start: () => void }[] = []

  function next(): void {
    for (;;) {
      const place = nextToStart(occupanciesOf(waiting), occupanciesOf(running), resources)
      const [entry] = waiting.splice(place ?? waiting.length, 1)
      if (entry === undefined) return
      running.push(entry)
      entry.start()
    }
  }

  return {
    take: (occupancy: Occupancy): Promise<Turn> =>
      new Promise((resolve) => {
        const turn: Turn = {
          freeWorkers() {
            entry.occupancy = { ...entry.occupancy, workers: 0 }
            next()
          },
          leave() {
            running.splice(running.indexOf(entry), 1)
            next()
          },
        }
        const entry = { occupancy, start: () => resolve(turn) }
        waiting.push(entry)
        // All rules ask in the same turn of the event loop; the choice is made once all are there.
        setImmediate(next)
      }),
  }
}

export function occupanciesOf(entries: readonly { readonly occupancy: Occupancy }[]): Occupancy[] {
  return entries.map(({ occupancy }) => occupancy)
}

/**
 * The place in `waiting` of the rule that begins next; null if none may begin before one of `running` has ended. The
 * first whose occupancy is free begins; rules that run alone come after all others. A rule that shares an endpoint lets all
 * others that want it go first, because shared use may take days. If nothing runs, some rule begins.
 */
export function nextToStart(
  waiting: readonly Occupancy[],
  running: readonly Occupancy[],
  { scenarios, ...limits }: Resources,
): number | null {
  if (waiting.every(({ alone }) => alone)) return waiting.length > 0 && running.length === 0 ? 0 : null
  if (running.some(({ alone }) => alone)) return null
  const isFull = running.filter(({ sharesQuota }) => sharesQuota).length >= scenarios
  const wanted = new Set(waiting.flatMap(({ alone, exclusive, wakes }) => (alone ? [] : [...exclusive, ...wakes])))
  const first = waiting.findIndex(
    (occupancy) => isFree(occupancy) && !occupancy.shared.some((endpoint) => wanted.has(endpoint)),
  )
  if (first !== -1) return first
  // Two rules that let each other go first.
  return running.length === 0 ? waiting.findIndex(isFree) : null

  function isFree(occupancy: Occupancy): boolean {
    const { alone, sharesQuota } = occupancy
    if (alone || (sharesQuota && isFull) || exceeds(occupancy, 'workers') || exceeds(occupancy, 'creates')) return false
    return !running.some((other) => excludes(occupancy, other))
  }

  function exceeds(occupancy: Occupancy, what: 'workers' | 'creates'): boolean {
    const kept = running.reduce((sum, other) => sum + other[what], 0)
    return occupancy[what] > 0 && kept > 0 && kept + occupancy[what] > limits[what]
  }
}

/** True if two rules want the same endpoint, unless both share it or both wake it. */
function excludes(a: Occupancy, b: Occupancy): boolean {
  return [...a.exclusive, ...a.shared, ...a.wakes].some((id) => {
    const [mine, other] = [a, b].map((occupancy) => useOf(occupancy, id))
    return other !== null && (mine !== other || mine === 'exclusive')
  })
}

function useOf({ exclusive, shared, wakes }: Occupancy, id: string): 'exclusive' | 'shared' | 'wakes' | null {
  if (exclusive.includes(id)) return 'exclusive'
  if (wakes.includes(id)) return 'wakes'
  return shared.includes(id) ? 'shared' : null
}
