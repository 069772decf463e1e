/** What a rule takes while it runs. */
export interface Claim {
  /** It runs after all others, alone. */
  readonly alone: boolean
  /** Whether it is about pods, and so may have some of its own. */
  readonly sharesQuota: boolean
  /** Endpoints that nobody else may use meanwhile. */
  readonly exclusive: readonly string[]
  /** Endpoints that others may use meanwhile, as long as nobody has them to himself. */
  readonly shared: readonly string[]
  /** Endpoints that others may use meanwhile who bring a worker there after a while as well, and nobody else. */
  readonly wakes: readonly string[]
  /** Workers of the normal endpoint. */
  readonly workers: number
  /** Workers of the endpoints that it creates. */
  readonly creates: number
}

/** What there is for rules that run beside each other. */
export interface Resources {
  /** Rules about pods beside each other. */
  readonly scenarios: number
  /** Workers of the normal endpoint. */
  readonly workers: number
  /** Workers of all endpoints that rules create. */
  readonly creates: number
}

/** Who may run: many beside each other as far as resources allow, and some only alone, after the others. */
export interface Turns {
  take(claim: Claim): Promise<Turn>
}

export interface Turn {
  /** Gives the workers back and keeps the rest of the turn. */
  freeWorkers(): void
  /** Gives the turn back. */
  leave(): void
}

/** Turns of a run: what begins next is for `nextToStart` to say. */
export function createTurns(resources: Resources): Turns {
  const running: { claim: Claim }[] = []
  const waiting: { claim: Claim; readonly start: () => void }[] = []

  function next(): void {
    for (;;) {
      const claimsOf = (entries: readonly { readonly claim: Claim }[]) => entries.map(({ claim }) => claim)
      const place = nextToStart(claimsOf(waiting), claimsOf(running), resources)
      const [entry] = waiting.splice(place ?? waiting.length, 1)
      if (entry === undefined) return
      running.push(entry)
      entry.start()
    }
  }

  return {
    take: (claim) =>
      new Promise((resolve) => {
        const turn: Turn = {
          freeWorkers() {
            entry.claim = { ...entry.claim, workers: 0 }
            next()
          },
          leave() {
            running.splice(running.indexOf(entry), 1)
            next()
          },
        }
        const entry = { claim, start: () => resolve(turn) }
        waiting.push(entry)
        // Rules are started one by one in the same turn of the event loop; who goes first is seen once all are there.
        setImmediate(next)
      }),
  }
}

/**
 * The place in `waiting` of the rule that begins next; null where none may before one of `running` has ended. The first
 * that finds what it takes begins, those that are alone after all others. Who would share an endpoint lets all others
 * go first that want it: what shares may take days, and would keep them off. Where nothing runs, something begins.
 */
export function nextToStart(
  waiting: readonly Claim[],
  running: readonly Claim[],
  { scenarios, ...limits }: Resources,
): number | null {
  if (waiting.every(({ alone }) => alone)) return waiting.length > 0 && running.length === 0 ? 0 : null
  if (running.some(({ alone }) => alone)) return null
  const isFull = running.filter(({ sharesQuota }) => sharesQuota).length >= scenarios
  const wanted = new Set(waiting.flatMap(({ alone, exclusive, wakes }) => (alone ? [] : [...exclusive, ...wakes])))
  const first = waiting.findIndex((claim) => isFree(claim) && !claim.shared.some((endpoint) => wanted.has(endpoint)))
  if (first !== -1) return first
  // Two that let each other go first.
  return running.length === 0 ? waiting.findIndex(isFree) : null

  function isFree(claim: Claim): boolean {
    const { alone, sharesQuota } = claim
    if (alone || (sharesQuota && isFull) || exceeds(claim, 'workers') || exceeds(claim, 'creates')) return false
    return !running.some((other) => excludes(claim, other))
  }

  function exceeds(claim: Claim, what: 'workers' | 'creates'): boolean {
    const kept = running.reduce((sum, other) => sum + other[what], 0)
    return claim[what] > 0 && kept > 0 && kept + claim[what] > limits[what]
  }
}

/** Whether two want the same endpoint, and not both for the same that can be done beside each other. */
function excludes(a: Claim, b: Claim): boolean {
  return [...a.exclusive, ...a.shared, ...a.wakes].some((id) => {
    const [mine, other] = [a, b].map((claim) => useOf(claim, id))
    return other !== null && (mine !== other || mine === 'exclusive')
  })
}

function useOf({ exclusive, shared, wakes }: Claim, id: string): 'exclusive' | 'shared' | 'wakes' | null {
  if (exclusive.includes(id)) return 'exclusive'
  if (wakes.includes(id)) return 'wakes'
  return shared.includes(id) ? 'shared' : null
}
