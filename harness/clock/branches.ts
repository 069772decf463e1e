import { AsyncLocalStorage } from 'node:async_hooks'

/** A concurrent branch. It has its turn from when it takes it, except while it waits. */
interface Branch {
  readonly of: Branches
  isWaiting: boolean
  isOver: boolean
}

/** The branch that runs. */
const running = new AsyncLocalStorage<Branch>()

/**
 * Concurrent branches of one actor, of which one runs at a time: while it waits, another one runs. So their waits
 * overlap, and their requests have an order that a replay can keep.
 */
export class Branches {
  #isTaken = false
  readonly #next: (() => void)[] = []

  /** Runs all branches to their end. Rejects with the first error in the order of the branches. */
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

  /** Waits while another branch runs. Outside of branches it just waits. */
  async whileOthersRun<T>(wait: () => Promise<T>): Promise<T> {
    const branch = this.#branch()
    if (branch === null) return wait()
    // After the first of two waits the branch would go on without a turn.
    if (branch.isWaiting) throw new Error('two waits at once in a branch: a branch has one wait at a time')
    branch.isWaiting = true
    this.#give()
    try {
      return await wait()
    } finally {
      await this.#take()
      branch.isWaiting = false
      // A branch may have failed while one of its waits went on.
      if (branch.isOver) this.#give()
    }
  }

  /** The branch that this is called in; null outside of branches and after the branch has ended. */
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
