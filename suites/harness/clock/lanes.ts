/**
 * Several lines of work of one actor beside each other, of which one runs at a time: another goes on where that one
 * waits. So they share their waits, and what they send has an order that a replay can keep.
 */
export class Lanes {
  #isTaken = false
  readonly #next: (() => void)[] = []

  /** Ends with the first that fails; the others then stay where they are. */
  beside<T>(works: readonly (() => Promise<T>)[]): Promise<T[]> {
    return Promise.all(
      works.map(async (work) => {
        await this.#take()
        const value = await work()
        this.#give()
        return value
      }),
    )
  }

  /** Does what waits while another line goes on; outside of them it is simply done. */
  async aside<T>(wait: () => Promise<T>): Promise<T> {
    if (!this.#isTaken) return wait()
    this.#give()
    try {
      return await wait()
    } finally {
      await this.#take()
    }
  }

  #take(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isTaken) this.#next.push(resolve)
      else resolve()
      this.#isTaken = true
    })
  }

  #give(): void {
    const next = this.#next.shift()
    if (next === undefined) this.#isTaken = false
    else next()
  }
}
