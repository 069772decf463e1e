import { AsyncLocalStorage } from 'node:async_hooks'

/** One line of work: it has its turn from when it takes it, save while it waits. */
interface Branch {
  readonly of: Branches
  isWaiting: boolean
  isOver: boolean
}

/** Which line runs. */
const running = new AsyncLocalStorage<Branch>()

/**
 * Several lines of work of one actor beside each other, of which one runs at a time: another goes on where that one
 * waits. So they share their waits, and what they send has an order that a replay can keep.
 */
export class Branches {
  #isTaken = false
  readonly #next: (() => void)[] = []

  /** All go on to their end. Rejects as they would one after the other: as the first in their order that does. */
  async concurrently<One, T>(all: readonly One[], work: (one: One) => Promise<T>): Promise<T[]> {
    if (this.#branch() !== null) throw new Error('branches within a branch: a branch has no branches of its own')
    const ends = await Promise.allSettled(
      all.map(async (one) => {
        const branch: Branch = { of: this, isWaiting: false, isOver: false }
        await this.#take()
        try {
          return await running.run(branch, () => work(one))
        } finally {
          branch.isOver = true
          if (!branch.isWaiting) this.#give()
        }
      }),
    )
    return ends.map((end) => {
      if (end.status === 'rejected') throw end.reason
      return end.value
    })
  }

  /** Does what waits while another line goes on; outside of them it is simply done. */
  async whileOthersRun<T>(wait: () => Promise<T>): Promise<T> {
    const branch = this.#branch()
    if (branch === null) return wait()
    // Whoever goes on after the first of two waits would do so without a turn.
    if (branch.isWaiting) throw new Error('two waits at once in a branch: a branch has one wait at a time')
    branch.isWaiting = true
    this.#give()
    try {
      return await wait()
    } finally {
      await this.#take()
      branch.isWaiting = false
      // A line may have failed while something of it still waited.
      if (branch.isOver) this.#give()
    }
  }

  /** The line that this is called in; null outside of them, and once it is over. */
  #branch(): Branch | null {
    const branch = running.getStore()
    return branch?.of === this && !branch.isOver ? branch : null
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
