/**
 * Several lines of work of one actor beside each other, of which one runs at a time: another goes on where that one
 * waits. So they share their waits, and what they send has an order that a replay can keep.
 */
export class Lanes {
  #isTaken = false
  readonly #next: (() => void)[] = []

  /** All go on to their end. Rejects as they would one after the other: as the first in their order that does. */
  async beside<One, T>(all: readonly One[], work: (one: One) => Promise<T>): Promise<T[]> {
    const ends = await Promise.allSettled(
      all.map(async (one) => {
        await this.#take()
        try {
          return await work(one)
        } finally {
          this.#give()
        }
      }),
    )
    return ends.map((end) => {
      if (end.status === 'rejected') throw end.reason
      return end.value
    })
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
