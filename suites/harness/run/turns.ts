/** Who may run: many beside each other up to a bound, and some only alone, after the others. */
export interface Turns {
  /** Resolves with the function that gives the turn back. */
  take(alone: boolean): Promise<() => void>
}

export function createTurns(limit: number): Turns {
  let running = 0
  let aloneRunning = false
  const waiting: { readonly alone: boolean; readonly start: () => void }[] = []

  function next(): void {
    for (;;) {
      if (aloneRunning) return
      const at = waiting.findIndex(({ alone }) => !alone)
      const entry = at >= 0 ? waiting[at] : waiting[0]
      if (entry === undefined) return
      if (entry.alone ? running > 0 : running >= limit) return
      waiting.splice(waiting.indexOf(entry), 1)
      running++
      aloneRunning = entry.alone
      entry.start()
    }
  }

  return {
    take: (alone) =>
      new Promise((resolve) => {
        const leave = () => {
          running--
          if (alone) aloneRunning = false
          next()
        }
        waiting.push({ alone, start: () => resolve(leave) })
        // Rules are started one by one in the same turn of the event loop; those that must be alone let them in first.
        setImmediate(next)
      }),
  }
}
