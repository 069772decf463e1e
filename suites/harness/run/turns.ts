/** What a rule takes while it runs. */
export interface Claim {
  /** It runs after all others, alone. */
  readonly alone: boolean
  /** Endpoints that nobody else may use meanwhile. */
  readonly endpoints: readonly string[]
  /** Workers of the normal endpoint. */
  readonly workers: number
}

/** Who may run: many beside each other as far as resources allow, and some only alone, after the others. */
export interface Turns {
  /** Resolves with the function that gives the turn back. */
  take(claim: Claim): Promise<() => void>
}

/** `limit` run beside each other; of the normal endpoint's workers no more than `workers` are kept. */
export function createTurns(limit: number, workers: number): Turns {
  const used = new Set<string>()
  const waiting: { readonly claim: Claim; readonly start: () => void }[] = []
  let running = 0
  let kept = 0
  let aloneRunning = false

  function mayStart({ alone, endpoints, workers: wanted }: Claim): boolean {
    if (alone) return running === 0
    if (running >= limit || endpoints.some((endpoint) => used.has(endpoint))) return false
    return wanted === 0 || kept === 0 || kept + wanted <= workers
  }

  function next(): void {
    while (!aloneRunning) {
      const others = waiting.some(({ claim }) => !claim.alone)
      const at = waiting.findIndex(({ claim }) => !(claim.alone && others) && mayStart(claim))
      const entry = waiting[at]
      if (entry === undefined) return
      waiting.splice(at, 1)
      count(entry.claim, 1)
      entry.start()
    }
  }

  function count({ alone, endpoints, workers: wanted }: Claim, by: 1 | -1): void {
    running += by
    kept += by * wanted
    aloneRunning = alone && by === 1
    for (const endpoint of endpoints) {
      if (by === 1) used.add(endpoint)
      else used.delete(endpoint)
    }
  }

  return {
    take: (claim) =>
      new Promise((resolve) => {
        const leave = () => {
          count(claim, -1)
          next()
        }
        waiting.push({ claim, start: () => resolve(leave) })
        // Rules are started one by one in the same turn of the event loop; those that must be alone let them in first.
        setImmediate(next)
      }),
  }
}
